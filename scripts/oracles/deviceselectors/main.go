// Prints what Kubernetes says of device selectors: one JSON request a line in, one answer a line out.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
)

type request struct {
	Expression string             `json:"expression"`
	Driver     string             `json:"driver"`
	Device     resourceapi.Device `json:"device"`
}

type answer struct {
	Matches bool   `json:"matches"`
	Compile string `json:"compile,omitempty"`
	Runtime string `json:"runtime,omitempty"`
}

func judge(asked request) answer {
	compiled := cel.GetCompiler(cel.Features{}).CompileCELExpression(asked.Expression, cel.Options{DisableCostEstimation: true})
	if compiled.Error != nil {
		return answer{Compile: compiled.Error.Detail}
	}
	device := cel.Device{Driver: asked.Driver, Attributes: asked.Device.Attributes, Capacity: asked.Device.Capacity}
	matches, _, err := compiled.DeviceMatches(context.Background(), device)
	if err != nil {
		return answer{Runtime: err.Error()}
	}
	return answer{Matches: matches}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		if err := out.Encode(judge(asked)); err != nil {
			panic(err)
		}
	}
}
