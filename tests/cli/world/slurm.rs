//! A campaign in parts on a real Slurm of one machine, by the template in contrib/: a task is killed in the middle and requeued, and the whole is
//! what one process finds out.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::all_evidence::parcel;
use crate::project::{Project, text, tool};
use crate::shards::found_out;

/// A cluster of this machine alone; its daemons end with it.
struct Cluster {
    directory: PathBuf,
    daemons: Vec<Child>,
}

/// Wait at most so long for anything.
const PATIENCE: Duration = Duration::from_secs(120);

impl Cluster {
    fn start(directory: PathBuf) -> Cluster {
        for name in ["state", "spool"] {
            fs::create_dir_all(directory.join(name)).unwrap();
        }
        let mut cluster = Cluster { directory, daemons: Vec::new() };
        cluster.start_munge();
        fs::write(cluster.file("slurm.conf"), cluster.configuration()).unwrap();
        cluster.spawn("slurmctld", &["-D"]);
        cluster.spawn("slurmd", &["-D"]);
        cluster.wait("the node", |cluster| {
            String::from_utf8_lossy(&cluster.run("sinfo", &["-h", "-o", "%T"]).stdout).contains("idle")
        });
        cluster
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    fn start_munge(&mut self) {
        let key = self.file("key");
        // Anything of the right length, for its owner alone.
        fs::write(&key, [7u8; 1024]).unwrap();
        let owner = Command::new("chmod").arg("400").arg(&key).status().unwrap();
        assert!(owner.success());
        let option = |name: &str, file: &str| format!("--{name}={}", self.file(file).display());
        let options = [
            "--foreground".to_string(),
            option("socket", "munge.socket"),
            option("key-file", "key"),
            option("log-file", "munged.log"),
            option("pid-file", "munged.pid"),
            option("seed-file", "munged.seed"),
        ];
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        self.spawn("munged", &options);
        self.wait("munge", |cluster| cluster.file("munge.socket").exists());
    }

    fn spawn(&mut self, program: &str, options: &[&str]) {
        let output = fs::File::create(self.file(&format!("{program}.out"))).unwrap();
        let mut command = Command::new(program);
        command.args(options).env("SLURM_CONF", self.file("slurm.conf")).stdin(Stdio::null());
        // Daemons are where users need not look.
        command.env("PATH", format!("/usr/sbin:{}", std::env::var("PATH").unwrap()));
        let child = command.stdout(output.try_clone().unwrap()).stderr(output).spawn();
        let child = child.unwrap_or_else(|error| panic!("{program}: {error}; type: ./setup test"));
        self.daemons.push(child);
    }

    fn configuration(&self) -> String {
        let host = String::from_utf8(Command::new("hostname").arg("-s").output().unwrap().stdout).unwrap();
        let user = String::from_utf8(Command::new("id").arg("-un").output().unwrap().stdout).unwrap();
        let (host, user) = (host.trim(), user.trim());
        // Ports that nobody has just now.
        let free = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [controller, node] = free.each_ref().map(|listener| listener.local_addr().unwrap().port());
        let at = |name: &str| self.file(name).display().to_string();
        let cpus = std::thread::available_parallelism().map_or(1, usize::from).min(2);
        format!(
            "ClusterName=suspect\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser={user}\nSlurmdUser={user}\nSlurmctldPort={controller}\n\
             SlurmdPort={node}\nAuthType=auth/munge\nAuthInfo=socket={},cred_expire=5\nStateSaveLocation={}\nSlurmdSpoolDir={}\n\
             SlurmctldPidFile={}\nSlurmdPidFile={}\nSlurmctldLogFile={}\nSlurmdLogFile={}\nProctrackType=proctrack/linuxproc\n\
             TaskPlugin=task/none\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nMpiDefault=none\nReturnToService=2\n\
             KillWait=1\nAccountingStorageType=accounting_storage/none\nJobAcctGatherType=jobacct_gather/none\n\
             NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN\nPartitionName=main Nodes={host} Default=YES State=UP\n",
            at("munge.socket"),
            at("state"),
            at("spool"),
            at("slurmctld.pid"),
            at("slurmd.pid"),
            at("slurmctld.log"),
            at("slurmd.log")
        )
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("SLURM_CONF", self.file("slurm.conf"));
        command
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        self.command(program).args(arguments).output().unwrap()
    }

    fn wait(&self, what: &str, is_there: impl Fn(&Cluster) -> bool) {
        let began = Instant::now();
        while !is_there(self) {
            if began.elapsed() > PATIENCE {
                let said = ["munged.log", "slurmctld.log", "slurmd.log", "slurmctld.out", "slurmd.out"]
                    .map(|name| fs::read_to_string(self.file(name)).unwrap_or_default());
                panic!("waited too long for {what}:\n{}", said.join("\n"));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for daemon in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

/// A `suspect` that stands still once the second part has found something out, the first time: the task can be killed there.
fn halting(project: &Project) -> PathBuf {
    let bin = project.path().join("bin");
    let suspect = tool().display();
    let script = format!(
        "#!/bin/sh\nif [ \"$SLURM_ARRAY_TASK_ID\" = 2 ] && [ ! -e halted ]; then\n    {suspect} \"$@\" &\n    \
         until [ -n \"$(find .suspect/campaigns -name 'shard-2-of-3.*.trials' -size +0 2>/dev/null)\" ]; do sleep 0.01; done\n    \
         kill -STOP $!\n    touch halted\n    sleep 1000\nfi\nexec {suspect} \"$@\"\n"
    );
    project.write("bin/suspect", &script);
    let made = Command::new("chmod").arg("755").arg(bin.join("suspect")).status().unwrap();
    assert!(made.success());
    bin
}

#[test]
fn a_killed_and_requeued_task_of_a_job_array_goes_on() {
    let project = parcel();
    project.succeed(&["mutate", "--samples", "3", "--shard", "1/1"]);
    project.succeed(&["merge"]);
    let whole = found_out(&project, "campaigns");
    fs::remove_dir_all(project.path().join(".suspect/campaigns")).unwrap();
    let bin = halting(&project);
    let cluster = Cluster::start(project.path().join("slurm"));

    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("contrib/slurm/suspect.sbatch");
    let mut batch = cluster.command("sbatch");
    batch.args(["--parsable", "--array=1-3"]).arg(template).args(["mutate", "--samples", "3"]);
    batch.current_dir(project.path()).env("PATH", format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()));
    let submitted = batch.output().unwrap();
    assert!(submitted.status.success(), "{}", text(&submitted));
    let job = String::from_utf8(submitted.stdout).unwrap().trim().to_string();

    cluster.wait("the second task to halt", |_| project.path().join("halted").exists());
    let requeued = cluster.run("scontrol", &["requeue", &format!("{job}_2")]);
    assert!(requeued.status.success(), "{}", text(&requeued));
    cluster.wait("the tasks", |cluster| cluster.run("squeue", &["-h"]).stdout.is_empty());
    drop(cluster);

    let said = project.succeed(&["merge"]);
    assert!(said.contains("3 of 3 parts"), "{said}");
    assert!(found_out(&project, "campaigns") == whole, "not what one process finds out");
    let logs = fs::read_to_string(project.path().join(format!("suspect-{job}_2.log"))).unwrap();
    assert!(logs.contains("had been run before"), "it began again: {logs}");
}
