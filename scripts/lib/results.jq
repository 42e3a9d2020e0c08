# SPDX-License-Identifier: MIT
# From Meson's test logs (an object a test) to the report that scripts/test ends with: what was
# skipped and why, what failed with its output, and the line that counts. A TAP test counts by
# its lines, any other by its exit status.

def lines: split("\n");
def is_tap: any(lines[]; test("^(not )?ok( |$)|^1\\.\\.[0-9]"));
def directive($word): test("# *" + $word; "i");
def is_fine: .result | IN("OK", "EXPECTEDFAIL", "SKIP");

# "ok 3 - the case # SKIP why" -> "the case: why"
def skipped_case:
    capture("^ok *[0-9]* *-? *(?<case>.*?) *# *skip[a-z]* *(?<why>.*)$"; "i")
    | if .case == "" then .why else "\(.case): \(.why)" end;

def tap_counts:
    (.stdout | lines) as $lines
    | [$lines[] | select(test("^ok( |$)"))] as $ok
    | [$lines[] | select(test("^not ok( |$)")) | select(directive("todo") | not)] as $bad
    | {passed: [$ok[] | select(directive("skip") | not)] | length,
       failed: $bad,
       skipped: ([$ok[] | select(directive("skip")) | skipped_case]
                 + [$lines[] | capture("^1\\.\\.0 *# *skip[a-z]* *(?<why>.*)$"; "i") | .why])};

def plain_counts:
    {passed: (if .result == "SKIP" then 0 else 1 end), failed: [],
     skipped: (if .result == "SKIP" then [.stdout | lines[0]] else [] end)};

# A crash, a timeout, a plan that was not kept: one failure, if the test's lines tell of none.
def with_verdict($test):
    if ($test | is_fine) or (.failed | length) > 0 then .
    else .failed = ["\($test.result), exit status \($test.returncode)"]
    end;

def counts:
    . as $test
    | if (.stdout | is_tap) then tap_counts
      elif is_fine then plain_counts
      else {passed: 0, failed: [], skipped: []}
      end
    | with_verdict($test);

def output:
    [(.stdout, .stderr // "") | lines[] | select(. != "")] | .[-200:] | map("    " + .);

def read_test($build):
    .stdout //= ""
    | {name: "\($build): \(.name)", output: output} + counts;

[inputs | read_test(input_filename | split("/")[-1] | rtrimstr(".json"))] as $tests
| ($tests[] | .name as $name | .skipped[] | "skipped: \($name): \(.)"),
  ($tests[] | select(.failed | length > 0)
   | "failed: \(.name)", (.failed[] | "  " + .), .output[]),
  "\([$tests[].passed] | add // 0) passed, \([$tests[].failed | length] | add // 0) failed, \([$tests[].skipped | length] | add // 0) skipped"
