#!/usr/bin/env python3
"""Time and peak memory of reading a large ISUCON14 log, against `grep -c` on the same file.

Makes the log, runs the two programs in turn, prints a table, deletes the log.
Usage: benches/read-log/measure.py [--size BYTES] [--rounds N] [--isugate PATH] [--dir DIR]
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

START = "time=13:04:00.011 level=INFO msg=負荷走行を開始します\n"
END = (
    "time=13:05:02.399 level=INFO msg=結果 pass=true スコア=567276 種別エラー数=\"map[1:{c1} 17:{c17}]\"\n"
    "time=13:05:02.410 level=INFO msg=負荷走行が終了しました\n"
)
LINES = [
    "time=13:04:{s:02}.{ms:03} level=WARN msg=\"椅子の座標送信に失敗しました (CODE=1): POST /api/chair/coordinateのリクエストが失敗しました:"
    " Post \\\"https://isuride.xiv.isucon.net/api/chair/coordinate\\\": context deadline exceeded\"\n",
    "time=13:04:{s:02}.{ms:03} level=WARN msg=\"ユーザー登録に失敗しました (CODE=17): POST /api/app/users へのリクエストに対して、"
    "期待されたHTTPステータスコードが確認できませんでした (expected:201, actual:500)\"\n",
    "time=13:04:{s:02}.{ms:03} level=INFO msg=これまでに地域内の評判によって{s}人、既存ユーザーの招待経由で{ms}人が新規登録しました\n",
    "time=13:04:{s:02}.{ms:03} level=INFO msg=一定の売上が立ったためオーナーの椅子が増加します 名前=\"Sitwell Holdings\" 増加数={s}\n",
]


def write_log(path: str, size: int) -> int:
    """Writes a log of at least `size` bytes; returns its size."""
    block = "".join(LINES[i % 4].format(s=i // 1000 % 60, ms=i % 1000) for i in range(20_000)).encode()
    repeats = max(1, size // len(block))
    counted = 5_000 * repeats
    with open(path, "wb") as log:
        log.write(START.encode())
        for _ in range(repeats):
            log.write(block)
        log.write(END.format(c1=counted, c17=counted).encode())
    return os.path.getsize(path)


def run(command: list[str], env: dict[str, str]) -> tuple[float, float, int, bytes]:
    """Seconds on the clock, seconds of CPU, peak resident KiB, output."""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env=env)
    peak = 0
    # wait4's figure would be that of the forked Python; VmHWM is the program's own, and only rises.
    while (done := os.wait4(child.pid, os.WNOHANG))[0] == 0:
        peak = max(peak, high_water(child.pid))
        time.sleep(0.002)
    took = time.perf_counter() - began
    _, status, usage = done
    child.returncode = os.waitstatus_to_exitcode(status)
    output = child.stdout.read()
    child.stdout.close()
    if child.returncode != 0:
        sys.exit(f"{command[0]} ended with status {child.returncode}: {output!r}")
    return took, usage.ru_utime + usage.ru_stime, peak, output


def high_water(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) for line in status if line.startswith("VmHWM")), 0)
    except (FileNotFoundError, ProcessLookupError):
        return 0


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--size", type=int, default=1 << 30)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--isugate", default="target/release/isugate")
    options.add_argument("--dir", default=None, help="where the log is made (default: the system's temporary folder)")
    args = options.parse_args()
    env = dict(os.environ, LC_ALL="C")
    with tempfile.TemporaryDirectory(dir=args.dir) as folder:
        log = os.path.join(folder, "isucon14.log")
        size = write_log(log, args.size)
        commands = {
            "grep -c": ["grep", "-c", "msg=結果", log],
            "isugate parse": [args.isugate, "parse", "--format", "isucon14", "--json", "--exit-code", "0", log],
        }
        seconds: dict[str, list[float]] = {name: [] for name in commands}
        cpu: dict[str, list[float]] = {name: [] for name in commands}
        peak: dict[str, int] = {name: 0 for name in commands}
        run(commands["grep -c"], env)  # brings the file into the page cache
        for _ in range(args.rounds):
            for name, command in commands.items():
                took, busy, rss, output = run(command, env)
                seconds[name].append(took)
                cpu[name].append(busy)
                peak[name] = max(peak[name], rss)
                expected = b'"score":567276' if name.startswith("isugate") else b"1\n"
                if expected not in output:
                    sys.exit(f"{name} read the log wrong: {output[:500]!r}")
        print(f"{size / (1 << 30):.2f} GiB, {args.rounds} rounds in turn, file in the page cache, LC_ALL=C")
        for name in commands:
            low, middle = min(seconds[name]), statistics.median(seconds[name])
            busy = statistics.median(cpu[name])
            print(f"{name:14} median {middle:6.3f} s   fastest {low:6.3f} s   CPU {busy:6.3f} s   peak {peak[name] / 1024:6.1f} MiB")
        ratio = statistics.median(seconds["isugate parse"]) / statistics.median(seconds["grep -c"])
        cpu_ratio = statistics.median(cpu["isugate parse"]) / statistics.median(cpu["grep -c"])
        print(f"ratio of medians {ratio:.2f} (of CPU time {cpu_ratio:.2f})")


if __name__ == "__main__":
    main()
