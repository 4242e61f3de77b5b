// bindings/go/cmd/my-lib-check/train.go: bindings/c/train.c in Go: an LLTM learns a sum of products.

package main

import (
	"fmt"

	"torchthaw.org/mylib"
)

const (
	seqLen, batch, inputSize, stateSize = 8, 16, 2, 16
	trainingSteps                       = 200
	learningRate                        = float32(0.1)
)

// generator is xorshift32.
type generator uint32

// uniform draws a number from [-0.5, 0.5).
func (g *generator) uniform() float32 {
	*g ^= *g << 13
	*g ^= *g >> 17
	*g ^= *g << 5
	return float32(*g>>8)/16777216 - 0.5
}

func (g *generator) fill(t *mylib.Tensor, scale float32) {
	for i := range t.Data {
		t.Data[i] = g.uniform() * scale
	}
}

// train prints the loss of the last step. Conversions to float32 keep a product from being fused with a sum.
func train([]string) error {
	random := generator(2463534242)
	weights, bias := mylib.New(3*stateSize, stateSize+inputSize), mylib.New(3*stateSize)
	headWeight, headBias := mylib.New(1, stateSize), mylib.New(1)
	random.fill(weights, 0.5)
	random.fill(headWeight, 0.5)
	gradients := mylib.LLTMGradients{Weights: mylib.New(weights.Shape...), Bias: mylib.New(bias.Shape...)}
	headGradients := mylib.LinearGradients{
		Input: mylib.New(batch, stateSize), Weight: mylib.New(headWeight.Shape...), Bias: mylib.New(1),
	}
	parameters := [][2]*mylib.Tensor{
		{weights, gradients.Weights}, {bias, gradients.Bias},
		{headWeight, headGradients.Weight}, {headBias, headGradients.Bias},
	}
	input, state := mylib.New(seqLen, batch, inputSize), mylib.New(batch, stateSize)
	gradH, gradOutput := mylib.New(seqLen, batch, stateSize), mylib.New(batch, 1)
	loss := 0.0
	for step := 0; step < trainingSteps; step++ {
		random.fill(input, 2)
		states, err := mylib.LLTMSequenceForward(input, weights, bias, state, state)
		if err != nil {
			return err
		}
		last := &mylib.Tensor{Data: states.H.Data[(seqLen-1)*batch*stateSize:], Shape: []int{batch, stateSize}}
		output, err := mylib.LinearForward(last, headWeight, headBias)
		if err != nil {
			return err
		}
		loss = meanSquare(input, output, gradOutput)
		if err := mylib.LinearBackwardInto(gradOutput, last, headWeight, headGradients); err != nil {
			return err
		}
		err = mylib.LLTMSequenceBackwardInto(gradH, headGradients.Input, nil, states.Cell, states.Gates, input, states.H,
			state, state, weights, gradients)
		if err != nil {
			return err
		}
		for _, each := range parameters {
			for i, gradient := range each[1].Data {
				each[0].Data[i] -= float32(learningRate * gradient)
			}
		}
	}
	fmt.Printf("loss %.6f\n", loss)
	return nil
}

// meanSquare returns the loss and fills its gradient.
func meanSquare(input, output, gradOutput *mylib.Tensor) float64 {
	sum := 0.0
	for b := range output.Data {
		target := float32(0)
		for t := 0; t < seqLen; t++ {
			at := (t*batch + b) * inputSize
			target += float32(input.Data[at] * input.Data[at+1])
		}
		difference := output.Data[b] - target
		sum += float64(float64(difference) * float64(difference))
		gradOutput.Data[b] = 2 * difference / batch
	}
	return sum / batch
}
