"""Take the archive of all submissions that Canvas or Moodle hands out, and put each notebook into its student's folder.

Canvas names a file doejane_LATE_1234_5678_krr-1.ipynb: the name, whether it came late, the user's number, the file's
number, and the file as the student called it; a resubmission has another number at its end, and only the last attempt
is in the archive. Moodle names a folder Jane Doe_1234_assignsubmission_file: the name and the participant's number; the
folder may be missing, and the file's own name then follows. In both archives the times are those of the download.
"""

import json
import re
import zipfile
from pathlib import Path, PurePosixPath

from tools.teaching.course import parse_time
from tools.teaching.students import read_list
from tools.teaching.submissions import MAX_NOTEBOOK_BYTES, is_plain_name

CANVAS = re.compile(r"(?P<name>[^_/]+)_(?P<late>LATE_)?(?P<number>\d+)_(?P<file>\d+)_(?P<own>[^/]+\.ipynb)")
MOODLE = re.compile(r"(?P<name>[^/]+)_(?P<number>\d+)_assignsubmission_file(?:_/?|/)(?P<own>.+\.ipynb)")
NUMBERS = {"Canvas": "ID", "Moodle": "Identifier"}  # columns of exported tables that hold these numbers


def notebooks_in(archive):
    """The notebooks of an archive: which platform has named it, the match of its name, and its entry."""
    found = []
    for entry in archive.infolist():
        if entry.is_dir() or not entry.filename.lower().endswith(".ipynb"):
            continue
        name = entry.filename
        if match := MOODLE.fullmatch(name):
            found.append(("Moodle", match, entry))
        elif match := CANVAS.fullmatch(PurePosixPath(name).name):
            found.append(("Canvas", match, entry))
        else:
            print(f"Not taken, since neither Canvas nor Moodle names a file so: {name}")
    return found


def rows_by_number(rows, platform):
    """The rows of a list of students by the numbers of the platform; Moodle writes `Participant 1234`."""
    numbers = ((re.sub(r"\D", "", row.get(NUMBERS[platform]) or ""), row) for row in rows)
    return {number: row for number, row in numbers if number}


def collect(file, name, course, listed=""):
    """Put the notebooks of an archive into submitted/<student>/<name>/; returns how many.

    `listed` is a table of the students, as the platform exports it: with it a student's folder is the login. It may
    have a column `time`. Of several notebooks of a student the one that the platform received last is taken.
    """
    path = Path(file)
    if not zipfile.is_zipfile(path):
        raise SystemExit(f"FILE must be an archive of submissions, as in FILE=submissions.zip, not {file!r}.")
    rows = read_list(listed) if listed else []
    with zipfile.ZipFile(path) as archive:
        last = {}
        for platform, match, entry in notebooks_in(archive):
            key = platform, match["number"]
            last.setdefault(key, []).append((match, entry))
        for (platform, number), candidates in sorted(last.items()):
            candidates.sort(key=lambda each: (int(each[0].groupdict().get("file") or 0), each[1].filename))
            row = rows_by_number(rows, platform).get(number, {})
            _take(archive, candidates, row, name, course)
    return len(last)


def _take(archive, candidates, row, name, course):
    match, entry = candidates[-1]
    student = row.get("login") or f"{match['name']}_{match['number']}"
    if not is_plain_name(student) or entry.file_size > MAX_NOTEBOOK_BYTES:
        print(f"Not taken, since its name or its size is out of all measure: {entry.filename}")
        return
    folder = course / "submitted" / student / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.ipynb"):
        old.unlink()  # an earlier attempt
    (folder / f"{name}.ipynb").write_bytes(archive.read(entry))
    (folder / "timestamp.txt").unlink(missing_ok=True)
    if time := (row.get("time") or "").strip():
        if parse_time(time) is None:
            print(f"{student}: the time in the list is no time with its zone, as 2027-05-14 17:55 +0200 is: {time}")
        (folder / "timestamp.txt").write_text(time + "\n", encoding="utf-8")
    notes = {"late": bool(match.groupdict().get("late")), "others": [each.filename for _, each in candidates[:-1]]}
    (folder / "collected.json").write_text(json.dumps(notes), encoding="utf-8")


def remarks_on_collecting(folder, name):
    """What the teacher should know of how a submission came."""
    path = folder / name / "collected.json"
    if path.is_symlink() or not path.is_file():
        return []
    notes = json.loads(path.read_text("utf-8"))
    late = ["Canvas marks it as late: put its time into timestamp.txt"] if notes["late"] else []
    return late + [f"{len(notes['others']) + 1} notebooks came, of which the last was taken"] * bool(notes["others"])
