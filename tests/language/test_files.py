"""What is said of a file that cannot be read."""

from __future__ import annotations

import errno
import pickle
from pathlib import Path

import pytest

import gdl
from gdl.language.files import FileError


@pytest.mark.parametrize("read", [gdl.read, lambda path: gdl.load(path).initial()])
def test_a_file_that_is_not_there_is_an_error_of_gdl(read: object) -> None:
    assert callable(read)
    with pytest.raises(gdl.GdlError) as caught:
        read("no/such/rules.kif")
    assert "no/such/rules.kif" in str(caught.value)


def test_the_error_is_one_of_the_system_too(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        gdl.read(tmp_path)
    error = caught.value
    assert error.message == f"{tmp_path} is a folder"
    assert str(error) == f"{error.message}\n  expected: a file"
    assert isinstance(error, OSError)
    assert (error.errno, error.strerror) == (errno.EISDIR, "Is a directory")
    assert error.filename == str(tmp_path)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.errno) == (FileError, str(error), error.errno)
