# tests/cuda/host/test_thc_from_python.py: THC from Python, on pretended GPUs:
# tests/cuda/host/pretended/test_pretended_structs.py has the tests.
import pytest

from support import thc_probe

BY_TOPIC = {
    "THCState": {"test_the_state_comes_with_cuda", "test_the_first_tensor_brings_the_state"},
    "streams": {"test_the_stream_is_pytorch_s", "test_calls_nest"},
    "memory": {"test_memory_is_pytorch_s", "test_no_memory", "test_no_memory_for_an_output"},
    "checks": {"test_a_fault_of_a_kernel_is_told_by_the_next_check", "test_errors_have_the_text_of_old"},
    "same-gpu": {"test_layouts", "test_mixed_devices_are_refused"},
    "tensors": {"test_types", "test_no_elements", "test_an_output_grows_in_its_own_memory", "test_results"},
    "copies": {"test_between_the_cpu_and_a_gpu"},
}


@pytest.mark.slow
@pytest.mark.parametrize("topic", BY_TOPIC)
def test_on_pretended_gpus(topic):
    assert BY_TOPIC[topic] <= thc_probe.passed(True, False)
