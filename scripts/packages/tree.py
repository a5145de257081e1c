"""Archives whose bytes depend on nothing but what is in them."""

import gzip
import io
import tarfile
from pathlib import Path


class Tree:
    """Files of an archive, all root's unless said otherwise."""

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
    # The file name and the time that gzip could note are left out.
    return gzip.compress(text, level, mtime=0)
