"""Reads CHANGELOG.md, which has the form of Keep a Changelog 1.1.0.

    changelog.py check FILE                    prints what differs from that form, and fails if anything does
    changelog.py release FILE VERSION DATE     also fails unless VERSION can be released on DATE
"""

import datetime
import pathlib
import re
import sys

CATEGORIES = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*))?")
HEADING = re.compile(r"## \[([^\]]+)\](?: - (\S+))?(?: \[YANKED\])?")


def precedence(version):
    """A key that sorts versions as Semantic Versioning 2.0 §11 does."""
    *numbers, suffix = VERSION.fullmatch(version).groups()
    parts = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in suffix.split(".")] if suffix else []
    return [int(number) for number in numbers], not suffix, parts


class Section:
    def __init__(self, name, date):
        self.name, self.date = name, date
        # What precedes the first category is in "".
        self.categories = {"": ""}

    @property
    def is_unreleased(self):
        return self.name == "Unreleased"

    @property
    def is_empty(self):
        return not any(text.strip() for text in self.categories.values())


def read(text):
    """Returns the sections, the newest first, and what differs from the form."""
    sections, errors, links, category = [], [], set(), ""
    if not text.startswith("# Changelog\n"):
        errors.append("the first line is not “# Changelog”")
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("## "):
            match = HEADING.fullmatch(line)
            if not match or not (match[1] == "Unreleased" or VERSION.fullmatch(match[1])):
                errors.append(f"line {number} is neither “## [Unreleased]” nor “## [VERSION] - DATE”: {line}")
            elif any(section.name == match[1] for section in sections):
                errors.append(f"line {number} begins a second section {match[1]}")
            else:
                sections.append(Section(match[1], match[2]))
                category = ""
        elif line.startswith("### "):
            category = line[4:]
            if category not in CATEGORIES:
                errors.append(f"line {number} is not one of {', '.join(CATEGORIES)}: {line}")
            elif not sections or category in sections[-1].categories:
                errors.append(f"line {number} begins a second part {category} of a section, or one before the first section")
            if sections:
                sections[-1].categories.setdefault(category, "")
        elif match := re.match(r"\[([^\]]+)\]: \S+$", line):
            links.add(match[1].lower())
        elif sections:
            sections[-1].categories[category] += line + "\n"

    for section in sections:
        if section.is_unreleased:
            if section is not sections[0]:
                errors.append("Unreleased is not the first section")
        else:
            try:
                datetime.datetime.strptime(section.date or "", "%Y-%m-%d")
            except ValueError:
                errors.append(f"{section.name} has no date of the form 2026-01-31")
        if section.name.lower() not in links:
            errors.append(f"{section.name} has no link: a line “[{section.name.lower()}]: URL” at the end")
    versions = [section.name for section in sections if not section.is_unreleased]
    if versions != sorted(versions, key=precedence, reverse=True):
        errors.append("the sections are not in the order of their versions, the newest first")
    return sections, errors


def release_errors(text, version, date):
    sections, errors = read(text)
    if any(section.is_unreleased and not section.is_empty for section in sections):
        errors.append("Unreleased is not empty")
    section = next((section for section in sections if section.name == version), None)
    if not section:
        errors.append(f"there is no section “## [{version}] - {date}”")
        return errors
    if section.date != date:
        errors.append(f"the date of {version} is {section.date}, not {date}")
    if section.is_empty:
        errors.append(f"the section {version} is empty")
    return errors


def main(command, file, *arguments):
    text = pathlib.Path(file).read_text()
    errors = release_errors(text, *arguments) if command == "release" else read(text)[1]
    for error in errors:
        print(f"error: {pathlib.Path(file).name}: {error}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
