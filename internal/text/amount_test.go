package text

import (
	"testing"
	"time"
)

func TestTook(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0ms", 0: "0ms", 1999 * time.Microsecond: "1ms", time.Second: "1s", 1240 * time.Millisecond: "1.2s",
		59_990 * time.Millisecond: "59.9s", time.Minute: "1m00s", 125 * time.Second: "2m05s", time.Hour: "1h00m", 26*time.Hour + 3*time.Minute: "26h03m",
	} {
		if got := Took(d); got != want {
			t.Errorf("%s is %s, want %s", d, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 1234: "1.2 kB", 2_500_000: "2.5 MB"} {
		if got := Size(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

func TestAfter(t *testing.T) {
	t.Parallel()
	for wait, want := range map[time.Duration]string{
		0: "at once", 20 * time.Millisecond: "at once", 421 * time.Millisecond: "in 0.4s", 999 * time.Millisecond: "in 1s",
		1234 * time.Millisecond: "in 1.2s", 3 * time.Second: "in 3s", 90 * time.Second: "in 1m30s",
	} {
		if got := After(wait); got != want {
			t.Errorf("After(%s) = %q, want %q", wait, got, want)
		}
	}
}

func TestAge(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]string{
		0: "0s", 59 * time.Second: "59s", time.Minute: "1m", 59*time.Minute + 59*time.Second: "59m",
		time.Hour: "1h", 47 * time.Hour: "47h", 48 * time.Hour: "2d", -time.Hour: "0s",
	} {
		if got := Age(now, now.Add(-ago)); got != want {
			t.Errorf("age of %s = %s, want %s", ago, got, want)
		}
	}
}
