"""Random reads of 4 KiB through io_uring: ours and fio's, with registered files and buffers both."""
import json

RANDOM_READS = ["--read", "100", "--block", "4k", "--random", "--files", "1", "--workers", "1",
                "--warmup", "0s", "--db", "none", "--quiet", "--format", "json"]
FIO_READS = ["--name=uring", "--ioengine=io_uring", "--registerfiles", "--fixedbufs",
             "--nonvectored=1", "--rw=randread", "--bs=4k", "--norandommap", "--randrepeat=0",
             "--thread", "--numjobs=1", "--time_based", "--output-format=json"]


class Side:
    """What both read, and how; run gives (ops a second, CPU ns an op) of the threads that do it."""

    def __init__(self, output_of, directory, depth, size, run_ms, direct):
        self.output_of, self.directory, self.depth = output_of, directory, depth
        self.size, self.run_ms, self.direct = size, run_ms, direct

    def ours(self, program):
        cache = ["--direct"] if self.direct else ["--client-cache", "keep"]
        answer = json.loads(self.output_of([
            program, "io", f"uring:{self.directory}", *RANDOM_READS, *cache, "--size", self.size,
            "--streams", self.depth, "--time", f"{self.run_ms}ms"]))
        result = answer[0] if isinstance(answer, list) else answer
        own = {fact["key"]: fact["value"] for fact in result["own"]}
        ops = result["lines"][0]["ops"]
        if ops == 0 or result["errors"]:
            raise ValueError("io uring: did no reads, or had errors")
        cpu_ns = int(own["cpu_user_ns"]) + int(own["cpu_sys_ns"])
        return ops * 1e9 / result["elapsed_ns"], cpu_ns / ops

    def fio(self):
        """Handed over and taken back in batches: the cheapest that it can."""
        cache = ["--direct=1"] if self.direct else ["--pre_read=1", "--invalidate=0"]
        least = 1 if self.direct else self.depth
        answer = json.loads(self.output_of([
            "fio", *FIO_READS, *cache, f"--directory={self.directory}", "--filename=fio",
            f"--size={self.size}", f"--iodepth={self.depth}", f"--iodepth_batch={self.depth}",
            f"--iodepth_batch_complete_min={least}", f"--iodepth_batch_complete_max={self.depth}",
            f"--runtime={self.run_ms}ms"]))
        job = answer["jobs"][0]
        read = job["read"]
        if read["total_ios"] == 0 or read["lat_ns"]["N"] == 0:
            raise ValueError("fio did no reads, or took no latencies")
        cpu_ns = (job["usr_cpu"] + job["sys_cpu"]) / 100 * read["runtime"] * 1e6
        return read["iops"], cpu_ns / read["total_ios"]
