"""Changes to an index of vectors, all or nothing: new files first, then the manifest that names them."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.errors import Fault, FormatError, InputError
from rankgauge.retrieval._segments import Mask, Progress, Segment, Settings, open_segment, write_merged, write_new
from rankgauge.retrieval._snapshot import Snapshot
from rankgauge.retrieval.protocols import Vectors

MANIFEST = "vectors.json"
LOCK = "write.lock"
FORMAT = 1
TRIES = 5
SIMILAR = 2
BUILD_AGAIN = "build the index again"


def first(
    folder: Path, ids: Sequence[str], vectors: Vectors, settings: Settings, *, progress: Progress | None
) -> Snapshot:
    """Write the first commit of an index."""
    with _writing(folder):
        segments = (write_new(_place(folder, 1, 0), ids, vectors, settings, progress=progress),) if len(ids) else ()
        snapshot = Snapshot(1, segments, (None,) * len(segments))
        _publish(folder, settings, snapshot)
    return snapshot


def opened(folder: Path) -> tuple[Settings, Snapshot]:
    """Map what was last committed."""
    for _ in range(TRIES):
        manifest = _read(folder)
        try:
            return _mapped(folder, manifest)
        except FormatError:
            # Another process may have committed in between, and removed what the old manifest names.
            if _read(folder) == manifest:
                raise
    raise FormatError(Fault(str(folder), "a moment without commits", "one commit after another", "try again"))


def commit(
    folder: Path, settings: Settings, before: Snapshot, added: Mapping[str, Vectors], deleted: set[str]
) -> Snapshot:
    """Write added vectors and deletions; segments that have become too many or too empty are written as one."""
    with _writing(folder):
        if (now := _read(folder)["generation"]) != before.generation:
            got = f"commit {now}, which another writer made"
            raise InputError(Fault(str(folder), f"commit {before.generation}", got, "open the index again"))
        generation = before.generation + 1
        segments, masks = list(before.segments), _without(before, deleted)
        if added:
            # What is joined with older segments right away needs no graph of its own.
            joins = bool(segments) and before.alive(len(segments) - 1) <= SIMILAR * len(added)
            place, vectors = _place(folder, generation, 0), np.stack(list(added.values()))
            segments.append(write_new(place, list(added), vectors, settings, graph=not joins))
            masks.append(None)
        segments, masks = _merged(folder, generation, settings, segments, masks)
        after = Snapshot(generation, tuple(segments), tuple(masks))
        _publish(folder, settings, after)
    return after


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """One process at a time; another one's lock is waited for."""
    with (folder / LOCK).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _place(folder: Path, generation: int, number: int) -> Path:
    """Folder of a new segment; what a crash has left under this name goes."""
    place = folder / f"segment-{generation:06d}-{number}"
    shutil.rmtree(place, ignore_errors=True)
    return place


def _without(before: Snapshot, deleted: set[str]) -> list[Mask | None]:
    masks: list[Mask | None] = list(before.masks)
    gone: dict[int, list[int]] = {}
    for id_ in deleted:
        if (found := before.find(id_)) is not None:
            gone.setdefault(found[0], []).append(found[1])
    for number, rows in gone.items():
        known = masks[number]
        mask = np.ones(len(before.segments[number]), dtype=bool) if known is None else known.copy()
        mask[rows] = False
        masks[number] = mask
    return masks


def _merged(
    folder: Path, generation: int, settings: Settings, segments: list[Segment], masks: list[Mask | None]
) -> tuple[list[Segment], list[Mask | None]]:
    """Write the newest segments as one while the one before is not much larger, and any that is mostly deleted.

    So there are never more than some log2 n of them, and a vector is written again about as often.
    """
    alive = [len(s) if m is None else int(m.sum()) for s, m in zip(segments, masks, strict=True)]
    start = len(segments)
    while start and _joins(segments, alive, start):
        start -= 1
    groups = [[number] for number in range(start)] + (
        [list(range(start, len(segments)))] if start < len(segments) else []
    )
    kept: list[tuple[Segment, Mask | None]] = []
    for group in groups:
        total = sum(alive[number] for number in group)
        wasted = sum(len(segments[number]) for number in group) - total
        if len(group) == 1 and 2 * wasted <= len(segments[group[0]]):
            kept.append((segments[group[0]], masks[group[0]]))
        elif total:
            parts = [(segments[number], _rows(segments[number], masks[number])) for number in group]
            kept.append((write_merged(_place(folder, generation, 1 + group[0]), parts, settings), None))
    return [segment for segment, _ in kept], [mask for _, mask in kept]


def _joins(segments: list[Segment], alive: list[int], start: int) -> bool:
    """Whether the segment before `start` is to be written together with all behind it."""
    behind = sum(alive[start:])
    return start == len(segments) or alive[start - 1] <= SIMILAR * behind


def _rows(segment: Segment, mask: Mask | None) -> Any:
    return np.arange(len(segment)) if mask is None else np.flatnonzero(mask)


def _publish(folder: Path, settings: Settings, snapshot: Snapshot) -> None:
    """Write the manifest, then remove what it no longer names; whoever has that mapped keeps it."""
    entries = []
    for segment, mask in zip(snapshot.segments, snapshot.masks, strict=True):
        file = None if mask is None else f"alive-{snapshot.generation:06d}-{segment.name}.npy"
        if file is not None and mask is not None:
            np.save(folder / file, np.packbits(mask))
        entries.append({"name": segment.name, "count": len(segment), "graph": segment.graph_size, "alive": file})
    manifest = {"format": FORMAT, "generation": snapshot.generation, **asdict(settings), "segments": entries}
    part = folder / f".{MANIFEST}.part"
    with part.open("w", encoding="utf-8") as out:
        json.dump(manifest, out, indent=1)
        out.flush()
        os.fsync(out.fileno())
    part.replace(folder / MANIFEST)
    _sweep(folder, {name for entry in entries for name in (entry["name"], entry["alive"]) if name})


def _sweep(folder: Path, named: set[Any]) -> None:
    for path in folder.iterdir():
        if path.name not in named and path.name.startswith("segment-"):
            shutil.rmtree(path, ignore_errors=True)
        elif path.name not in named and path.name.startswith("alive-"):
            path.unlink(missing_ok=True)


def _read(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(Fault(str(folder), "an index of vectors", f"no {MANIFEST}", "build one there")) from None
    except ValueError as error:
        raise FormatError(Fault(str(path), "a manifest", f"broken content ({error})", BUILD_AGAIN)) from None
    if manifest.get("format") != FORMAT:
        raise FormatError(Fault(str(path), f"format {FORMAT}", str(manifest.get("format")), BUILD_AGAIN))
    known: dict[str, Any] = manifest
    return known


def _mapped(folder: Path, manifest: dict[str, Any]) -> tuple[Settings, Snapshot]:
    settings = Settings(**{name: manifest[name] for name in Settings.__dataclass_fields__})
    entries = manifest["segments"]
    segments = tuple(
        open_segment(folder / entry["name"], entry["count"], settings, graph_size=entry["graph"]) for entry in entries
    )
    masks = tuple(_alive(folder, entry) for entry in entries)
    return settings, Snapshot(manifest["generation"], segments, masks)


def _alive(folder: Path, entry: dict[str, Any]) -> Mask | None:
    if entry["alive"] is None:
        return None
    path = folder / entry["alive"]
    try:
        mask: Mask = np.unpackbits(np.load(path), count=entry["count"]).astype(bool)
    except (OSError, ValueError) as error:
        raise FormatError(Fault(str(path), "a mask", f"broken content ({error})", BUILD_AGAIN)) from None
    return mask
