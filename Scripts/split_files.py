"""Changes the files of a nested package, so that it can be a separate repository.

    split_files.py name ROOT FOLDER                              prints the name of its repository
    split_files.py change ROOT FOLDER REPOSITORY URL VERSION     changes the files in REPOSITORY, which are those of ROOT/FOLDER

ROOT is a clean work tree of the root package, whose URL and version are URL and VERSION.
"""

import os
import pathlib
import re
import shutil
import sys

PATH_DEPENDENCY = re.compile(r'\.package\((?:name: "[^"]*", )?path: "(?:\.\./)+(?:\.\.)?/?"\)')
LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")


def fail(reason):
    sys.exit(f"error: {reason}")


def repository_name(folder):
    """The name in the README's URL of the repository, or else that of the package."""
    readme = folder / "README.md"
    text = readme.read_text() if readme.exists() else ""
    names = set(re.findall(r'["`]https://[^"`]*/(swift-data-transfer-[\w.-]+?)(?:\.git)?["`]', text))
    if not names:
        names = set(re.findall(r'^    name: "(swift-data-transfer-[\w.-]+)"', (folder / "Package.swift").read_text(), re.M))
    if len(names) != 1:
        fail(f"{folder.name}: neither README.md nor Package.swift says one repository name that begins with swift-data-transfer-")
    return names.pop()


def is_inside(path, folder):
    return path == folder or folder in path.parents


def replace_links(root, source, repository):
    """Replaces links that lead out of the package by what they lead to. Test targets with links to folders of tests are part of the root's tests: they are removed."""
    for base, folders, files in os.walk(source):
        for name in folders + files:
            link = pathlib.Path(base) / name
            if not link.is_symlink() or is_inside(link.resolve(), source.resolve()):
                continue
            target, place = link.resolve(), link.relative_to(source)
            if not target.exists() or not is_inside(target, root.resolve()):
                fail(f"{place} is a link to {os.readlink(link)}, which is not a file of the root package")
            copy = repository / place
            if place.parts[0] == "Tests" and target.is_dir():
                target_folder = repository / "Tests" / place.parts[1]
                if target_folder.is_symlink():
                    target_folder.unlink()
                elif target_folder.exists():
                    shutil.rmtree(target_folder)
                continue
            copy.unlink()
            if target.is_dir():
                shutil.copytree(target, copy)
            else:
                shutil.copy(target, copy)


def change_manifest(repository, url, version):
    manifest = repository / "Package.swift"
    text, count = PATH_DEPENDENCY.subn(f'.package(url: "{url}", .upToNextMinor(from: "{version}"))', manifest.read_text())
    if count != 1:
        fail(f"{repository.name}: Package.swift has {count} path dependencies on the root package, not 1")
    # What the manifest adds beside the root package only.
    text = re.sub(r"\n// Beside the root package only: .*\Z", "", text, flags=re.S)
    if re.search(r'\.package\([^)]*path:', text):
        fail(f"{repository.name}: Package.swift has another path dependency")
    manifest.write_text(text)


def change_documents(root, source, repository, url, version):
    pages = url.removesuffix(".git") + f"/blob/{version}/"
    for document in repository.rglob("*.md"):
        place = source / document.relative_to(repository)

        def absolute(match):
            target = (place.parent / match[2]).resolve()
            if is_inside(target, source.resolve()):
                return match[0]
            if not target.exists() or not is_inside(target, root.resolve()):
                fail(f"{document.relative_to(repository)} has a link to {match[2]}, which does not exist")
            return match[1] + pages + target.relative_to(root.resolve()).as_posix() + match[3]

        text = LINK.sub(absolute, document.read_text())
        text = re.sub(r'(/swift-data-transfer[\w-]*\.git", (?:\.upToNextMinor\()?from: ")[^"]*"', rf'\g<1>{version}"', text)
        document.write_text(text)


def change(root, folder, repository, url, version):
    source = root / folder
    replace_links(root, source, repository)
    change_manifest(repository, url, version)
    change_documents(root, source, repository, url, version)
    for name in ["LICENSE", ".gitignore", ".swift-format"]:
        if (root / name).exists() and not (repository / name).exists():
            shutil.copy(root / name, repository / name)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["name", root, folder]:
            print(repository_name(pathlib.Path(root) / folder))
        case ["change", root, folder, repository, url, version]:
            change(pathlib.Path(root), folder, pathlib.Path(repository), url, version)
        case _:
            sys.exit(__doc__)
