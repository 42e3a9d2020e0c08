# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2034
# Generated text: measuring it, reading it, seeking in it.

file=$(model vocabulary 1000 256000 4096000)
python=$(command -v python3 || true)

first() { enter "$file" "$mnt"; seconds "$@"; }
median_of() {
    local i
    for i in $(seq "$pairs"); do "$@"; done | sort -n | sed -n "$(((pairs + 1) / 2))p"
}
milliseconds() { awk -v s="$1" 'BEGIN { printf "%.1f ms", 1000 * s }'; }

figure 'ls of metadata/, 256k tokens, first' '' "$(milliseconds "$(median_of first ls "$mnt/metadata")")"
figure 'ls -l of metadata/, 256k tokens, first' '50 ms' "$(milliseconds "$(median_of first ls -l "$mnt/metadata")")"
enter "$file" "$mnt"
tokens=$mnt/metadata/tokenizer.ggml.tokens
size=$(stat -c %s "$tokens")
measured() { enter "$file" "$mnt"; stat "$tokens" >/dev/null; seconds cat "$tokens"; }
figure 'cat of the token list' '150 MB/s' "$(awk -v n="$size" -v s="$(median_of measured)" 'BEGIN { printf "%.0f MB/s", n / s / 1e6 }')"
seek() { enter "$file" "$mnt"; stat "$tokens" >/dev/null; "$reader" stream "$tokens" $((size / 2)) 4096 4096; }
figure 'a seek into the token list' '' "$(milliseconds "$(median_of seek)")"
if [ -n "$python" ]; then
    by_python() { seconds "$python" tests/bench/tokens.py "$file"; }
    by_mount() { enter "$file" "$mnt"; seconds cat "$tokens"; }
    pair 'the token list, mount not counted' 'Python reader' '' by_python by_mount
fi
leave "$mnt"
