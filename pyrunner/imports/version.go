package imports

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// release reads the numbers of a version such as 3.12.1 or 3.13.0rc2; nil when it has none.
func release(text string) []int {
	var numbers []int
	for part := range strings.SplitSeq(text, ".") {
		end := 0
		for end < len(part) && part[end] >= '0' && part[end] <= '9' {
			end++
		}
		n, err := strconv.Atoi(part[:end])
		if err != nil {
			break
		}
		numbers = append(numbers, n)
		if end < len(part) {
			break
		}
	}
	return numbers
}

// compareRelease compares as PEP 440 does: missing numbers are zero.
func compareRelease(a, b []int) int {
	for i := range max(len(a), len(b)) {
		var x, y int
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return x - y
		}
	}
	return 0
}

var clausePattern = regexp.MustCompile(`^(===|~=|==|!=|<=|>=|<|>)\s*v?(\d+(?:\.\d+)*)(\.\*)?(?:(?:a|b|rc|\.post|\.dev)\d+)*$`)

// meets tells whether a Python's version fits a requires-python text such as ">=3.9,<3.13".
func meets(version []int, specifiers string) (bool, error) {
	for clause := range strings.SplitSeq(specifiers, ",") {
		clause = strings.TrimSpace(clause)
		if clause == "" {
			continue
		}
		m := clausePattern.FindStringSubmatch(clause)
		if m == nil {
			return false, fmt.Errorf("%q is not a version specifier such as >=3.9", clause)
		}
		if !meetsClause(version, m[1], release(m[2]), m[3] != "") {
			return false, nil
		}
	}
	return true, nil
}

func meetsClause(version []int, op string, want []int, star bool) bool {
	order := compareRelease(version, want)
	start := version[:min(len(version), len(want))]
	switch op {
	case "==", "===":
		if star {
			order = compareRelease(start, want)
		}
		return order == 0
	case "!=":
		return !meetsClause(version, "==", want, star)
	case "<=":
		return order <= 0
	case ">=":
		return order >= 0
	case "<":
		return order < 0
	case ">":
		return order > 0
	default: // ~=
		head := want[:max(1, len(want)-1)]
		return order >= 0 && compareRelease(version[:min(len(version), len(head))], head) == 0
	}
}
