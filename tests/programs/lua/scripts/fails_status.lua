io.stdout:write("before")
os.exit(3)
