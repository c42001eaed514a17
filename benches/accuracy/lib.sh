# What the scripts of this directory share: fetching released programs, and making projects of them whose tests pass.
# Needs $here (this directory) and $work (where everything is made; nothing fetched is kept here).

root=$(cd "$here/../.." && pwd)
# Tests name the directory of the suspect that they are of.
PATH=${SUSPECT_BIN:-$root/target/suspect/bin}:$PATH
mkdir -p "$work"
work=$(cd "$work" && pwd)
# Versions differ in one file, so a compiler cache does most of their builds. It is told what the plugin is (see docs/design/build.md).
if command -v ccache > /dev/null; then
    CCACHE=ccache
    CCACHE_DIR=${CCACHE_DIR:-$work/ccache}
    CCACHE_NOHASHDIR=1
    CCACHE_BASEDIR=$work
    export CCACHE CCACHE_DIR CCACHE_NOHASHDIR CCACHE_BASEDIR
fi

# Prints where cargo unpacks the crate $1 of version $2.
crate() {
    mkdir -p "$work/fetch/$1.$2"
    printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[lib]\npath = "lib.rs"\n[dependencies]\n%s = "=%s"\n[workspace]\n' \
        "$1" "$2" > "$work/fetch/$1.$2/Cargo.toml"
    : > "$work/fetch/$1.$2/lib.rs"
    (cd "$work/fetch/$1.$2" && cargo fetch --quiet && cargo metadata --format-version 1 --offline --quiet) |
        sed 's/"manifest_path":/\n&/g' | sed -n 's#^"manifest_path":"\([^"]*/'"$1"'-[0-9][^"]*\)/Cargo.toml".*#\1#p' | head -n 1
}

# Lets apt know of source packages, in a place of our own: $options are for apt-get.
sources() {
    options="-o Dir::Etc::sourcelist=$work/apt/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$work/apt/lists
        -o Dir::Cache=$work/apt/cache -o APT::Sandbox::User=root"
    [ ! -f "$work/apt/known" ] || return 0
    mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
    # The release alone: an update has other patches, and its upstream archive is not always beside it.
    apt-get indextargets --format 'deb-src $(SITE) $(CODENAME) $(COMPONENT)' 'Identifier: Packages' | sort -u |
        grep -v -e '-security ' -e '-updates ' > "$work/apt/sources.list"
    apt-get $options update -qq
    : > "$work/apt/known"
}

# Unpacks the Debian source package $1 to $2.
debian() {
    mkdir -p "$work/fetch/$1"
    sources
    (cd "$work/fetch/$1" && apt-get $options source -qq --download-only "$1")
    dpkg-source --no-check -x "$work/fetch/$1/$1"_*.dsc "$2" > "$work/fetch/$1/log"
}

# Unpacks the upstream source of the Debian source package $1 to $2, without what Debian changes.
debian_original() {
    mkdir -p "$work/fetch/$1" "$2"
    (sources && cd "$work/fetch/$1" && apt-get $options source -qq --download-only --tar-only "$1")
    tar -x -f "$work/fetch/$1/$1"_*.orig.tar.* -C "$2" --strip-components 1
}

# Texts of many shapes, the same every time: numbers 1 to $1 into the directory $2.
texts() {
    mkdir -p "$2"
    awk -v count="$1" -v directory="$2" '
        function draw(n) { state = (state * 1103515245 + 12345) % 2147483648; return int(state / 65536) % n }
        BEGIN {
            for (i = 1; i <= count; i++) {
                state = i * 7919; file = directory "/" i; printf "" > file
                length_ = i <= 3 ? i - 1 : 1 + draw(i % 5 == 0 ? 6000 : 900); kind = i % 4
                for (k = 0; k < length_; k++) {
                    if (kind == 0) c = substr("the quick brown fox jumps over a lazy dog\n", 1 + (k + draw(3)) % 42, 1)
                    else if (kind == 1) c = sprintf("%c", 33 + draw(90))
                    else if (kind == 2) c = sprintf("%c", 97 + int(k / (1 + i)) % 7)
                    else c = draw(9) ? "a" : sprintf("%c", 65 + draw(26))
                    printf "%s", c > file
                }
                close(file)
            }
        }'
}

# Says since when, in seconds, something is done: `since START`.
since() { echo $(($(date +%s) - $1)); }

# Builds $program here, and keeps what it writes in each of tests.list.
written() {
    make -s CC=clang-19 > /dev/null
    mkdir -p expected
    n=0
    while IFS= read -r line; do
        n=$((n + 1))
        # In a shell of its own: a line may be anything.
        sh -c "./$program $line" > "expected/$n" 2> /dev/null < /dev/null || true
    done < tests.list
}

# Makes $work/NAME of the recipe in the directory $1, NAME being its last part: sources, Makefile, inputs, tests.list, suspect.toml and what the
# program as released writes in each test. Leaves it alone when it is there and the recipe has not changed.
project() {
    recipe=$1
    program=$(basename "$recipe")
    tree=$work/$program
    stamp=$(cd "$recipe" && find . -type f | sort | xargs cksum | cksum; cksum < "$here/lib.sh")
    if [ "$(cat "$tree/.suspect-recipe" 2> /dev/null)" = "$stamp" ]; then return; fi
    rm -rf "$tree"
    mkdir -p "$tree"
    . "$recipe/prepare"
    cd "$tree"
    [ -f suspect.toml ] || sed "s/PROGRAM/$program/" "$here/suspect.toml" > suspect.toml
    if [ ! -d expected ]; then
        written
        make -s clean
    fi
    suspect build -- make -s
    suspect test
    cd "$work"
    echo "$stamp" > "$tree/.suspect-recipe"
}
