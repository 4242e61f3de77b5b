/* examples/c/lltm_step.c: one training step of an LLTM cell in plain C99, checked against PyTorch's numbers.
 *
 * Forward, half the squared norm of the new state as loss, backward, gradient descent, forward again. All memory is
 * the program's own; the library is told where its arrays and its workspace are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "golden.h"
#include "my_lib.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static float input[BATCH * INPUT_SIZE];
static float weights[3 * STATE_SIZE * (STATE_SIZE + INPUT_SIZE)], d_weights[COUNT(weights)];
static float bias[3 * STATE_SIZE], d_bias[COUNT(bias)];
static float old_h[BATCH * STATE_SIZE], old_cell[BATCH * STATE_SIZE];
static float new_h[BATCH * STATE_SIZE], new_cell[BATCH * STATE_SIZE], gates[BATCH * 3 * STATE_SIZE];

static void fill(float *values, size_t count, int first) {
    for (size_t i = 0; i < count; ++i) values[i] = (float)((first + (int)i) * 37 % 103 - 51) / 64;
}

static void stop_on_failure(int success) {
    if (success) return;
    fprintf(stderr, "%s\n", my_lib_last_error_message());
    exit(1);
}

static float forward(void *workspace, size_t workspace_size) {
    float loss = 0;
    stop_on_failure(lltm_forward(input, weights, bias, old_h, old_cell, BATCH, INPUT_SIZE, STATE_SIZE, new_h, new_cell,
                                 gates, workspace, workspace_size));
    for (size_t i = 0; i < COUNT(new_h); ++i) loss += (new_h[i] * new_h[i] + new_cell[i] * new_cell[i]) / 2;
    return loss;
}

static void descend(float *parameter, const float *gradient, size_t count) {
    for (size_t i = 0; i < count; ++i) parameter[i] -= (float)LEARNING_RATE * gradient[i];
}

static int differ(const char *name, const float *got, const float *expected, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (!(fabsf(got[i] - expected[i]) <= 2e-6f * (1 + fabsf(expected[i])))) {
            fprintf(stderr, "%s[%zu]: expected %.9g, got %.9g\n", name, i, (double)expected[i], (double)got[i]);
            return 1;
        }
    return 0;
}

int main(void) {
    size_t forward_size = lltm_forward_workspace_size(BATCH, INPUT_SIZE, STATE_SIZE);
    size_t backward_size = lltm_backward_workspace_size(BATCH, INPUT_SIZE, STATE_SIZE);
    size_t workspace_size = forward_size > backward_size ? forward_size : backward_size;
    void *workspace = malloc(workspace_size ? workspace_size : 1);
    float loss_before, loss_after;
    int wrong = 0;

    if (!workspace) return 1;
    fill(input, COUNT(input), 0);
    fill(weights, COUNT(weights), 100);
    fill(bias, COUNT(bias), 300);
    fill(old_h, COUNT(old_h), 400);
    fill(old_cell, COUNT(old_cell), 500);

    loss_before = forward(workspace, workspace_size);
    wrong |= differ("new_h", new_h, golden_new_h, COUNT(new_h));
    wrong |= differ("new_cell", new_cell, golden_new_cell, COUNT(new_cell));

    /* The gradient of the loss with respect to the new state is the new state; nobody asks for the others. */
    stop_on_failure(lltm_backward(new_h, new_cell, new_cell, gates, input, old_h, weights, BATCH, INPUT_SIZE,
                                  STATE_SIZE, NULL, d_weights, d_bias, NULL, NULL, workspace, workspace_size));
    descend(weights, d_weights, COUNT(weights));
    descend(bias, d_bias, COUNT(bias));
    wrong |= differ("weights", weights, golden_weights_after, COUNT(weights));
    wrong |= differ("bias", bias, golden_bias_after, COUNT(bias));

    loss_after = forward(workspace, workspace_size);
    wrong |= differ("loss before", &loss_before, golden_loss_before, 1);
    wrong |= differ("loss after", &loss_after, golden_loss_after, 1);
    free(workspace);

    printf("%s\nloss %.6f -> %.6f: %s\n", my_lib_build_info(), (double)loss_before, (double)loss_after,
           wrong ? "WRONG" : "as PyTorch computes it");
    return wrong;
}
