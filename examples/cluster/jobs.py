"""Keeps a Dask cluster for croft whose workers are jobs of a batch system; docs/cluster.md goes through it.

    python jobs.py slurm --jobs 8 --cores 16 --memory 64GB --queue short --scheduler-file croft.json
    croft experiment bigtiny_speedup --on croft.json --store /group/croft-runs

It runs until it is interrupted, and ends the jobs then. Needs: pip install 'croft-manycore[cluster]'
"""

import argparse
import signal
from typing import Any

from dask.utils import parse_bytes
from dask_jobqueue import PBSCluster, SLURMCluster

KINDS = {"slurm": SLURMCluster, "pbs": PBSCluster}
MIB = 1 << 20


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Keep a Dask cluster for croft whose workers are batch jobs.")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--jobs", type=int, default=4, help="jobs to ask for")
    parser.add_argument("--cores", type=int, default=16, help="cores of a job: so many simulations at a time")
    parser.add_argument("--memory", default="64GB", help="memory of a job; its simulations share it")
    parser.add_argument("--walltime", default="12:00:00", help="how long a job may last")
    parser.add_argument("--queue", help="the partition or queue")
    parser.add_argument("--account", help="whose time it is")
    parser.add_argument("--interface", help="the network that all nodes are on: ib0, eth0, ...")
    parser.add_argument("--scheduler-file", default="croft.json", help="what croft's --on takes")
    parser.add_argument("--dry-run", action="store_true", help="print a job's script, and end")
    return parser.parse_args()


def cluster(given: argparse.Namespace) -> Any:
    """The cluster, with no worker yet. A simulation holds one core, so each core has a worker process of its own."""
    each = parse_bytes(given.memory) // given.cores // MIB
    more = {"scheduler_options": {"dashboard_address": None, "scheduler_file": given.scheduler_file}}
    if given.interface:
        more["interface"] = given.interface
    return KINDS[given.kind](
        cores=given.cores,
        processes=given.cores,
        memory=given.memory,
        walltime=given.walltime,
        queue=given.queue,
        account=given.account,
        # What croft asks of a worker for each simulation, so that those of many cores are not packed too tightly.
        worker_extra_args=[f"--resources croft_memory={each}"],
        **more,
    )


def main() -> None:
    given = options()
    with cluster(given) as running:
        if given.dry_run:
            print(running.job_script())
            return
        running.scale(jobs=given.jobs)
        print(f"croft ... --on {given.scheduler_file}   (Ctrl-C here ends the cluster)", flush=True)
        signal.sigwait([signal.SIGINT, signal.SIGTERM])


if __name__ == "__main__":
    main()
