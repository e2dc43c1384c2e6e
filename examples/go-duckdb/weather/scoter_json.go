package weather

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"
)

// scJSONNested returns a nested value as JSON text. Its strings have a form that the database can
// cast to their types.
func scJSONNested(v any) any {
	var b strings.Builder
	if !scJSONValue(&b, reflect.ValueOf(v)) {
		return nil
	}
	return b.String()
}

// scJSONValue appends a value as JSON. It returns false if the value is NULL.
func scJSONValue(b *strings.Builder, r reflect.Value) bool {
	quoted := func(s string) {
		text, err := json.Marshal(s)
		if err != nil {
			text = []byte("null")
		}
		b.Write(text)
	}
	each := func(open, end string, n int, item func(int) reflect.Value) {
		b.WriteString(open)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			if !scJSONValue(b, item(i)) {
				b.WriteString("null")
			}
		}
		b.WriteString(end)
	}
	if !r.IsValid() {
		return false
	}
	if k := r.Kind(); (k == reflect.Pointer || k == reflect.Slice || k == reflect.Map || k == reflect.Interface) && r.IsNil() {
		return false
	}
	switch v := r.Interface().(type) {
	case bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64:
		fmt.Fprint(b, v)
		return true
	case json.RawMessage:
		b.Write(v)
		return true
	case []byte:
		var text strings.Builder
		for _, c := range v {
			fmt.Fprintf(&text, `\x%02X`, c)
		}
		quoted(text.String())
		return true
	case scStruct:
		if r.Kind() == reflect.Pointer {
			break
		}
		names, values := v.scFields()
		b.WriteByte('{')
		for i, n := range names {
			if i > 0 {
				b.WriteByte(',')
			}
			quoted(n)
			b.WriteByte(':')
			if !scJSONValue(b, reflect.ValueOf(values[i])) {
				b.WriteString("null")
			}
		}
		b.WriteByte('}')
		return true
	case *big.Int:
		quoted(v.String())
		return true
	}
	switch r.Kind() {
	case reflect.Pointer, reflect.Interface:
		return scJSONValue(b, r.Elem())
	case reflect.Slice:
		each("[", "]", r.Len(), r.Index)
		return true
	case reflect.Map:
		b.WriteByte('{')
		for i, k := range r.MapKeys() {
			if i > 0 {
				b.WriteByte(',')
			}
			text, _ := scDuckDB(k.Interface()).(string)
			quoted(text)
			b.WriteByte(':')
			if !scJSONValue(b, r.MapIndex(k)) {
				b.WriteString("null")
			}
		}
		b.WriteByte('}')
		return true
	}
	text, _ := scDuckDB(r.Interface()).(string)
	quoted(text)
	return true
}
