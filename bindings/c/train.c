/* bindings/c/train.c: trains an LLTM and a linear layer on sums of products; prints the last loss.
 *
 * A sequence has two numbers per step; the target is the sum over steps of their product. Every language that has a
 * training program does the same arithmetic in the same order, and so prints the same number. */
#include <stdint.h>
#include <stdlib.h>

#include "my_lib.h"

int train(double *loss);

enum { SEQ_LEN = 8, BATCH = 16, INPUT_SIZE = 2, STATE_SIZE = 16, STEPS = 200 };
enum { WEIGHTS = 3 * STATE_SIZE * (STATE_SIZE + INPUT_SIZE), BIAS = 3 * STATE_SIZE, STATE = BATCH * STATE_SIZE };

static uint32_t generator;

/* Uniform between -0.5 and 0.5: xorshift32, of which 24 bits are exact in float. */
static float uniform(void) {
    generator ^= generator << 13;
    generator ^= generator >> 17;
    generator ^= generator << 5;
    return (float)(generator >> 8) / 16777216.0f - 0.5f;
}

static void descend(float *parameter, const float *gradient, int count) {
    for (int i = 0; i < count; ++i) parameter[i] -= 0.1f * gradient[i];
}

static size_t largest(const size_t *sizes, int count) {
    size_t found = 0;
    for (int i = 0; i < count; ++i)
        if (sizes[i] > found) found = sizes[i];
    return found;
}

/* 200 steps of gradient descent; 0 where a call failed. */
int train(double *loss) {
    static float weights[WEIGHTS], bias[BIAS], head_weight[STATE_SIZE], head_bias[1];
    static float d_weights[WEIGHTS], d_bias[BIAS], d_head_weight[STATE_SIZE], d_head_bias[1];
    static float input[SEQ_LEN * BATCH * INPUT_SIZE], target[BATCH], output[BATCH], grad_output[BATCH];
    static float h[SEQ_LEN * STATE], cell[SEQ_LEN * STATE], gates[SEQ_LEN * 3 * STATE];
    static const float zeros[SEQ_LEN * STATE];
    static float grad_h_last[STATE];
    const float *const h_last = h + (SEQ_LEN - 1) * STATE;
    const size_t sizes[] = {
        lltm_sequence_forward_workspace_size(SEQ_LEN, BATCH, INPUT_SIZE, STATE_SIZE),
        lltm_sequence_backward_workspace_size(SEQ_LEN, BATCH, INPUT_SIZE, STATE_SIZE),
        my_lib_linear_forward_workspace_size(BATCH, STATE_SIZE, 1),
        my_lib_linear_backward_workspace_size(BATCH, STATE_SIZE, 1),
    };
    const size_t workspace_size = largest(sizes, 4);
    void *workspace = malloc(workspace_size ? workspace_size : 1);
    int success = workspace != NULL;

    generator = 2463534242u;
    for (int i = 0; i < WEIGHTS; ++i) weights[i] = uniform() * 0.5f;
    for (int i = 0; i < STATE_SIZE; ++i) head_weight[i] = uniform() * 0.5f;

    for (int step = 0; success && step < STEPS; ++step) {
        for (int i = 0; i < SEQ_LEN * BATCH * INPUT_SIZE; ++i) input[i] = uniform() * 2;
        for (int b = 0; b < BATCH; ++b) {
            target[b] = 0;
            for (int t = 0; t < SEQ_LEN; ++t) {
                const float *pair = input + (t * BATCH + b) * INPUT_SIZE;
                target[b] += pair[0] * pair[1];
            }
        }

        success = lltm_sequence_forward(input, weights, bias, zeros, zeros, SEQ_LEN, BATCH, INPUT_SIZE, STATE_SIZE, h,
                                        cell, gates, workspace, workspace_size) &&
                  my_lib_linear_forward(h_last, head_weight, head_bias, BATCH, STATE_SIZE, 1, output, workspace,
                                        workspace_size);

        *loss = 0;
        for (int b = 0; b < BATCH; ++b) {
            const float difference = output[b] - target[b];
            *loss += (double)difference * difference;
            grad_output[b] = 2 * difference / BATCH;
        }
        *loss /= BATCH;

        success = success &&
                  my_lib_linear_backward(grad_output, h_last, head_weight, BATCH, STATE_SIZE, 1, grad_h_last,
                                         d_head_weight, d_head_bias, workspace, workspace_size) &&
                  lltm_sequence_backward(zeros, grad_h_last, NULL, cell, gates, input, h, zeros, zeros, weights,
                                         SEQ_LEN, BATCH, INPUT_SIZE, STATE_SIZE, NULL, d_weights, d_bias, NULL, NULL,
                                         workspace, workspace_size);
        descend(weights, d_weights, WEIGHTS);
        descend(bias, d_bias, BIAS);
        descend(head_weight, d_head_weight, STATE_SIZE);
        descend(head_bias, d_head_bias, 1);
    }
    free(workspace);
    return success;
}
