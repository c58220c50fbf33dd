"""Rows of `limits` beside bare loops and beside fio: what its finals give, one load and nothing else around it."""
import json

CACHE_BYTES, CACHE_FILES = 256 << 20, 256
DEVICE_BYTES, DEVICE_FILES = 512 << 20, 256  # as many as the row has
BUDGET_S = {1: "6s", 8: "10s"}
BARE_MS, FIO_S = 400, 3
DEPTH = 8


class Sides:
    """What both need of bench.py: output_of, scratch, on_one_core and the error for what cannot be measured."""

    def __init__(self, output_of, scratch, on_one_core, failed):
        self.output_of, self.scratch, self.on_one_core = output_of, scratch, on_one_core
        self.failed = failed

    def finals(self, program, directory, row, streams, max_bytes):
        """Results of the finals."""
        said = json.loads(self.output_of([
            program, "limits", directory, "--only", row, "--streams", streams, "--max-bytes", max_bytes,
            "--budget", BUDGET_S[streams], "--db", "none", "--quiet", "--format", "json"]))
        finals = [result for result in said["results"]
                  if any((fact["key"], fact["value"]) == ("step", "final")
                         for fact in result["options"])]
        if not finals or any(result["errors"] for result in finals):
            raise self.failed(f"limits {row}: no final, or errors")
        return finals

    def cpu_ours(self, tools, row):
        """CPU of the threads that read, ns a read; the best final."""
        def once(turn):
            with self.on_one_core(turn), self.scratch() as directory:
                costs = []
                for result in self.finals(tools.program, directory, row, 1, CACHE_BYTES):
                    own = {fact["key"]: fact["value"] for fact in result["own"]}
                    ops = sum(line["ops"] for line in result["lines"])
                    # That time is from the gate on, ops are those of the window.
                    ops *= result["window_close_ns"] / result["elapsed_ns"]
                    costs.append((int(own["cpu_user_ns"]) + int(own["cpu_sys_ns"])) / ops)
                return min(costs)
        return once

    def cpu_bare(self, tools, block, order):
        def once(turn):
            with self.on_one_core(turn), self.scratch() as directory:
                return float(self.output_of([
                    tools.perf / "bench_bare", directory, CACHE_FILES, CACHE_BYTES // CACHE_FILES,
                    block, order, BARE_MS]))
        return once

    def device_ours(self, tools, directory, row):
        def once(_):
            return max(sum(line["ops"] for line in result["lines"]) * 1e9 / result["elapsed_ns"]
                       for result in self.finals(tools.program, directory, row, DEPTH, DEVICE_BYTES))
        return once

    def device_fio(self, directory, block, order):
        """As many threads, each with files of its own."""
        def once(_):
            answer = json.loads(self.output_of([
                "fio", "--name=device", "--ioengine=psync", f"--rw={order}", f"--bs={block}", "--direct=1",
                "--norandommap", "--randrepeat=0", "--thread", f"--numjobs={DEPTH}", "--group_reporting",
                f"--directory={directory}", f"--nrfiles={DEVICE_FILES // DEPTH}",
                f"--size={DEVICE_BYTES // DEPTH}", "--file_service_type=random" if order == "randread" else
                "--file_service_type=sequential", "--time_based", f"--runtime={FIO_S}s", "--ramp_time=1s",
                "--output-format=json"]))
            return answer["jobs"][0]["read"]["iops"]
        return once
