"""Rows of `limits` beside bare loops and beside fio: what its finals give, one load and nothing else around it."""
import json

CACHE_BYTES, DEVICE_BYTES, FILES = 256 << 20, 512 << 20, 8
BUDGET_S = {1: "6s", 8: "10s"}
# As long as the finals of a row together: the shorter a stretch, the better is the best of many.
BARE_MS, FIO_S = 1000, 3
DEPTH = 8


class Sides:
    """What both need of bench.py: output_of, scratch, on_one_core and the error for what cannot be measured."""

    def __init__(self, output_of, scratch, on_one_core, failed):
        self.output_of, self.scratch, self.on_one_core = output_of, scratch, on_one_core
        self.failed = failed

    def finals(self, program, directory, row, streams, max_bytes):
        """Results of the finals; the peer reads as many files of the same size."""
        said = json.loads(self.output_of([
            program, "limits", directory, "--only", row, "--streams", streams, "--max-bytes", max_bytes,
            "--budget", BUDGET_S[streams], "--db", "none", "--quiet", "--format", "json"]))
        finals = [result for result in said["results"]
                  if any((fact["key"], fact["value"]) == ("step", "final")
                         for fact in result["options"])]
        if not finals or any(result["errors"] for result in finals):
            raise self.failed(f"limits {row}: no final, or errors")
        size = f"files={FILES} size_bytes={max_bytes // FILES}"
        if any(size not in result["plan_text"] for result in finals):
            raise self.failed(f"limits {row}: not {size}, which the peer reads")
        return finals

    def cpu_ours(self, tools, row):
        """CPU of the threads that read, ns a read, of all finals together. That CPU is from the gate on, and so
        are the ops of the series; those of a line are the window's alone."""
        def once(turn):
            with self.on_one_core(turn), self.scratch() as directory:
                cpu_ns = ops = 0
                for result in self.finals(tools.program, directory, row, 1, CACHE_BYTES):
                    own = {fact["key"]: fact["value"] for fact in result["own"]}
                    cpu_ns += int(own["cpu_user_ns"]) + int(own["cpu_sys_ns"])
                    ops += sum(cell["ops"] for cell in result["series"]["intervals"])
                return cpu_ns / ops
        return once

    def cpu_bare(self, tools, block, order):
        def once(turn):
            with self.on_one_core(turn), self.scratch() as directory:
                return float(self.output_of([
                    tools.perf / "bench_bare", directory, FILES, CACHE_BYTES // FILES,
                    block, order, BARE_MS]))
        return once

    def device_ours(self, tools, directory, row):
        """Of all finals together."""
        def once(_):
            finals = self.finals(tools.program, directory, row, DEPTH, DEVICE_BYTES)
            return (sum(line["ops"] for result in finals for line in result["lines"]) * 1e9 /
                    sum(result["elapsed_ns"] for result in finals))
        return once

    def device_fio(self, directory, block, order):
        """As many threads, each with a file of its own."""
        def once(_):
            answer = json.loads(self.output_of([
                "fio", "--name=device", "--ioengine=psync", f"--rw={order}", f"--bs={block}", "--direct=1",
                "--norandommap", "--randrepeat=0", "--thread", f"--numjobs={DEPTH}", "--group_reporting",
                f"--directory={directory}", f"--nrfiles={FILES // DEPTH}", f"--size={DEVICE_BYTES // DEPTH}",
                "--time_based", f"--runtime={FIO_S}s", "--ramp_time=1s",
                "--output-format=json"]))
            return answer["jobs"][0]["read"]["iops"]
        return once
