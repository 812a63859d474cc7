#!/usr/bin/env python3
"""Writes the fuzz corpus: every sample of fixtures/results as the fuzz target takes it.

Usage: fuzz/seed.py [DIR]      (default fuzz/corpus/read_result)
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
# The order of Format::ALL and By::ALL.
FORMATS = (
    "isucon14 isucon13 isucon12-qualify isucon12-final isucon11-qualify isucon11-final isucon10-qualify isucon9-qualify"
    " private-isu kayac-isucon-2022 report-fd generic portal k6 oha wrk hyperfine"
).split()
CHANNELS = ["stdout", "merged", "result_file", "report_fd"]


def main() -> None:
    samples = HERE.parent / "fixtures" / "results"
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "corpus" / "read_result"
    out.mkdir(parents=True, exist_ok=True)
    manifests = sorted(samples.glob("*manifest.json"))
    count = 0
    for sample in (entry for manifest in manifests for entry in json.loads(manifest.read_text())):
        for channel, file in sample["files"].items():
            if channel in CHANNELS:
                head = bytes([FORMATS.index(sample["adapter"]), CHANNELS.index(channel), 7])
                (out / f"{sample['id']}.{channel}").write_bytes(head + (samples / file).read_bytes())
                count += 1
    print(f"{count} inputs in {out}")


if __name__ == "__main__":
    main()
