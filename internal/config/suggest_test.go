package config

import "testing"

func TestSuggestion(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"modle": "model", "Model": "model", "mode": "model", "maxSteps": "limits.maxSteps", "limits.maxStep": "limits.maxSteps",
		"[[modes]] tool": "[[modes]] tools", "notfy": "notify",
		// too short to be near to anything
		"id": "", "x": "", "foo": "", "bd": "",
		// no file may set what they are near to
		"yoloo": "yolo", "DB": "", "Yolo": "yolo", "user.db": "",
		// only fields of modes are called so
		"name": "", "description": "",
		// the right name in the wrong table is nearer than another name of that table
		"permissions.model": "model", "permissions.alow": "permissions.allow", "permissions.any": "",
	} {
		if got := suggestion(key); got != want {
			t.Errorf("suggestion(%q) = %q, want %q", key, got, want)
		}
	}
}
