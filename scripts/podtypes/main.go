// Writes the fields of a pod template's Go types, which wavetank needs to compute pod-template-hash as
// kube-controller-manager does:
//
//	cd scripts/podtypes && go run . > ../../src/wavetank/controllers/hashing/podtypes.txt
//
// With a template on standard input (JSON, {"template": …, "collisions": 1}) and the argument `hash` it computes the hash.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"reflect"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/dump"
	"k8s.io/apimachinery/pkg/util/rand"
)

var seen = map[string]bool{"resource.Quantity": true, "intstr.IntOrString": true, "v1.Time": true, "v1.ManagedFieldsEntry": true}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "hash" {
		hash()
		return
	}
	write(reflect.TypeOf(v1.PodTemplateSpec{}))
}

func write(t reflect.Type) {
	for t.Kind() == reflect.Ptr || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t.String()] {
		return
	}
	seen[t.String()] = true
	fmt.Println(t)
	for i := 0; i < t.NumField(); i++ {
		field := t.Field(i)
		name := strings.Split(field.Tag.Get("json"), ",")[0]
		if name == "" {
			name = "-" // its fields stand among those of the struct that it is in
		}
		fmt.Println("\t"+field.Name, name, field.Type)
	}
	for i := 0; i < t.NumField(); i++ {
		write(t.Field(i).Type)
	}
}

func hash() {
	decoder := json.NewDecoder(os.Stdin)
	for {
		var given struct {
			Template   v1.PodTemplateSpec
			Collisions *int32
		}
		if decoder.Decode(&given) != nil {
			return
		}
		hasher := fnv.New32a()
		fmt.Fprintf(hasher, "%v", dump.ForHash(given.Template))
		if given.Collisions != nil {
			count := make([]byte, 8)
			binary.LittleEndian.PutUint32(count, uint32(*given.Collisions))
			hasher.Write(count)
		}
		fmt.Println(rand.SafeEncodeString(fmt.Sprint(hasher.Sum32())))
	}
}
