"""Archives whose bytes depend only on their content."""

import gzip
import io
import tarfile
from pathlib import Path


class Tree:
    """The files of an archive; they belong to root unless another owner is given."""

    def __init__(self):
        self.entries = {}

    def add(self, path, text, mode=0o644):
        self.folder(str(Path(path).parent))
        self.entries[path] = (text, mode, 0)

    def folder(self, path, mode=0o755, owner=0):
        if path == ".":
            return
        self.folder(str(Path(path).parent))
        if path not in self.entries or mode != 0o755:
            self.entries[path] = (None, mode, owner)

    def tar(self, time):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path, (text, mode, owner) in sorted(self.entries.items()):
                entry = tarfile.TarInfo(path)
                entry.mtime, entry.mode, entry.uid, entry.gid = time, mode, owner, owner
                if text is None:
                    entry.type = tarfile.DIRTYPE
                    archive.addfile(entry)
                else:
                    entry.size = len(text)
                    archive.addfile(entry, io.BytesIO(text))
        return out.getvalue()


def packed(text, level=9):
    # Without the file name and the time that gzip can record.
    return gzip.compress(text, level, mtime=0)
