"""What the tests of `limits` share: its table as it says it in JSON."""
import json

import util


def said(*args, status=0, **options):
    done = util.run("limits", *args, "--db", "none", "--quiet", "--format", "json", **options)
    if done.returncode != status:
        raise AssertionError(
            f"{args}: exit status {done.returncode}\n{done.stdout[:2000]}\n{done.stderr}")
    return json.loads(done.stdout)


def finals(answer, row):
    """The results that a row's value is of."""
    ids = {point["result"] for point in row["points"] if point["step"] == "final"}
    return [r for r in answer["results"] if f"{r['study_id']}.{r['run']}" in ids]


def rule(row):
    """The limiter's name, or "unknown"."""
    return row["limiter"]["rule"] if row["limiter"] else "unknown"


def rules(row):
    return {finding["rule"] for finding in row["findings"]}
