// Answers what the real apiextensions code says of definitions and of objects: one JSON request a line, one answer a line.
// Used by tests/apiserver/custom to compare with; see there for the form of the requests.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apivalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

type request struct {
	Definition json.RawMessage `json:"definition"`
	Old        json.RawMessage `json:"old"`
	Schema     json.RawMessage `json:"schema"`
	Object     json.RawMessage `json:"object"`
}

type answer struct {
	Errors  []string       `json:"errors"`
	Unknown []string       `json:"unknown,omitempty"`
	Object  map[string]any `json:"object,omitempty"`
	Failure string         `json:"failure,omitempty"`
}

func texts(errs field.ErrorList) []string {
	found := []string{}
	for _, err := range errs {
		found = append(found, fmt.Sprintf("%s|%s", err.Type, err.Error()))
	}
	sort.Strings(found)
	return found
}

func internalDefinition(text json.RawMessage) (*apiextensions.CustomResourceDefinition, error) {
	outer := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(text, outer); err != nil {
		return nil, err
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(outer)
	inner := &apiextensions.CustomResourceDefinition{}
	return inner, apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(outer, inner, nil)
}

func judgeDefinition(asked request) (answer, error) {
	definition, err := internalDefinition(asked.Definition)
	if err != nil {
		return answer{}, err
	}
	if asked.Old == nil {
		return answer{Errors: texts(apivalidation.ValidateCustomResourceDefinition(context.TODO(), definition))}, nil
	}
	old, err := internalDefinition(asked.Old)
	if err != nil {
		return answer{}, err
	}
	return answer{Errors: texts(apivalidation.ValidateCustomResourceDefinitionUpdate(context.TODO(), definition, old))}, nil
}

func judgeObject(asked request) (answer, error) {
	outer := &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(asked.Schema, outer); err != nil {
		return answer{}, err
	}
	props := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(outer, props, nil); err != nil {
		return answer{}, err
	}
	structural, err := schema.NewStructural(props)
	if err != nil {
		return answer{}, err
	}
	object, unknown, err := complete(asked.Object, structural)
	if err != nil {
		return answer{}, err
	}
	var old map[string]any
	if asked.Old != nil {
		if old, _, err = complete(asked.Old, structural); err != nil {
			return answer{}, err
		}
	}
	told := answer{Errors: texts(check(props, structural, object, old)), Unknown: unknown, Object: object}
	return told, nil
}

func complete(text json.RawMessage, structural *schema.Structural) (map[string]any, []string, error) {
	object := map[string]any{}
	if err := utiljson.Unmarshal(text, &object); err != nil {
		return nil, nil, err
	}
	unknown := pruning.PruneWithOptions(object, structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.PruneNonNullableNullsWithoutDefaults(object, structural)
	mistake, more := objectmeta.CoerceWithOptions(nil, object, structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if mistake != nil {
		return nil, nil, mistake
	}
	defaulting.Default(object, structural)
	return object, append(unknown, more...), nil
}

func check(props *apiextensions.JSONSchemaProps, structural *schema.Structural, object, old map[string]any) field.ErrorList {
	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	var errs field.ErrorList
	var options []cel.Option
	var before any
	if old == nil {
		errs = append(errs, validation.ValidateCustomResource(nil, object, validator)...)
	} else {
		correlated := common.NewCorrelatedObject(object, old, &model.Structural{Structural: structural})
		errs = append(errs, validation.ValidateCustomResourceUpdate(nil, object, old, validator, validation.WithRatcheting(correlated))...)
		options = append(options, cel.WithRatcheting(correlated))
		before = old
	}
	errs = append(errs, objectmeta.Validate(nil, object, structural, false)...)
	if old == nil || len(listtype.ValidateListSetsAndMaps(nil, structural, old)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, structural, object)...)
	}
	rules := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	if rules == nil {
		return errs
	}
	for _, each := range errs {
		switch each.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return append(errs, field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"))
		}
	}
	broken, _ := rules.Validate(context.TODO(), nil, structural, object, before, celconfig.RuntimeCELCostBudget, options...)
	return append(errs, broken...)
}

func judge(line []byte) (told answer) {
	defer func() {
		if failure := recover(); failure != nil {
			told = answer{Failure: fmt.Sprint("panic: ", failure)}
		}
	}()
	asked := request{}
	err := json.Unmarshal(line, &asked)
	if err == nil && asked.Definition != nil {
		told, err = judgeDefinition(asked)
	} else if err == nil {
		told, err = judgeObject(asked)
	}
	if err != nil {
		return answer{Failure: err.Error()}
	}
	return told
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		if err := out.Encode(judge(lines.Bytes())); err != nil {
			os.Exit(1)
		}
	}
}
