# tests/doctor_project.py: small legacy projects for the doctor to read.
import pytest

from torchthaw.legacy.doctor.examine import examine


@pytest.fixture
def project(tmp_path):
    """write({relative path: text}) makes the project and returns its folder."""

    def write(files):
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write


def findings(folder, name=None):
    """Of all files, or of one."""
    return [finding for report in examine(folder) if name in (None, report.path) for finding in report.findings]
