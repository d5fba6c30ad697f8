#!/usr/bin/env bash
# What the family's install weighs: installs this checkout without extras into a new environment and prints
# its size on disk and the memory that reading one picture takes.
#
#   tests/benchmarks/install_size.sh [PICTURE]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
picture=$(realpath "${1:-$(find "$root/sample_images" -name '*.jpg' | sort | head -n 1)}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 -m venv "$scratch/venv"
empty=$(du -sm "$scratch/venv" | cut -f1)
started=$SECONDS
"$scratch/venv/bin/pip" install -q --disable-pip-version-check "$root"
echo "install: $((SECONDS - started)) s, $(($(du -sm "$scratch/venv" | cut -f1) - empty)) MB on disk (beside $empty MB of an empty environment)"
echo "largest:"
du -sm "$scratch"/venv/lib/python3*/site-packages/* | sort -rn | head -n 6 | sed "s|$scratch/venv/lib/||; s/^/  /"

cd "$scratch"
venv/bin/python - "$picture" <<'MEASURE'
import resource, subprocess, sys, time

started = time.perf_counter()
subprocess.run(["venv/bin/warref", "read", sys.argv[1], "--json"], check=True, stdout=subprocess.DEVNULL)
seconds = time.perf_counter() - started
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(f"warref read: {seconds:.1f} s, {peak:.0f} MB of memory at most")
MEASURE
