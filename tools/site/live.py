"""Make every page's notebook run in the reader's browser with JupyterLite and Pyodide, Python compiled for browsers.

The site's folder `live` has everything that is needed except Pyodide, which comes from its own server when the reader
asks for it; with KERNELBOOK_PYODIDE=1 in the environment, the folder has a copy of it. No page loads any of this by
itself. A reader who presses the button is first told whether it can work (`book/_static/live.js`).
"""

import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import nbformat

from tools.bookbuild.notebooks import SETUP
from tools.site import pyodide
from tools.site.exercises import FOLDER, download_of
from tools.site.npm import INSTALLED

LIBRARY = Path(find_spec("kernelbook").origin).parent
LIVE_FOLDER = "live"  # of JupyterLite in the site
APPS = ("notebooks", "tree")
PYODIDE = f"https://cdn.jsdelivr.net/pyodide/v{pyodide.VERSION}/full/pyodide.js"
OWN_PYODIDE = "pyodide/pyodide.js"  # in the folder `live`
KERNEL = "@jupyterlite/pyodide-kernel-extension"
# Megabytes transferred, which tests/site/test_live.py measures.
DOWNLOAD_MB = 55
TABLES_DOWNLOAD_MB = 60  # on pages that read tables
SITE_DOWNLOAD_MB = 3  # the part that comes from this site
EXTENSIONS = (KERNEL, "@jupyter-widgets/jupyterlab-manager", "jupyterlab-myst")
# Packages that Pyodide lacks. The library's own wheel is added to these.
WHEELS = ("comm", "ipywidgets", "jupyterlab_widgets")

# References to other pages in a notebook's text, which JupyterLite cannot resolve since it knows one page at a time.
LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s#:]+)\.(ipynb|md)(#[^()\s]*)?\)")
ROLE = re.compile(r"\{(cite(?::[pt])?|prf:ref|eq|numref|doc)\}`([^`<>]+)`")
CLASS = re.compile(r"^\{\.[\w-]+\}\n", flags=re.MULTILINE)
HEAD = re.compile(r"</h1>(\s*<p\b.*?</p>)?", flags=re.DOTALL)
# The script shows the paragraph for what it has found.
BUTTON = """<details class="live" data-python="{python}">
<summary>Run this page in your browser</summary>
<div role="status">
<p data-when="asking" hidden>Your browser is asking {host} whether it can be reached.</p>
<p data-when="ready" hidden>Python can be loaded: {host} answers. The first time, some {size} MB will come.</p>
<p data-when="silent" hidden>Python cannot be loaded: it comes from {host}, which does not answer. You may be offline,
or something on the way may block it. If you have opened a live page in this browser before, the browser may have kept
all of it. The notebook then works all the same.</p>
<p data-when="folder" hidden>You have opened this page from a folder, and a notebook with Python in it needs a server.
In the book's repository, <code>make serve</code> starts one. In a copy of the site, run <code>python3 -m http.server
8000 --bind 127.0.0.1</code> in the folder that has the file <code>search.html</code>. The address of this page is then
<code>http://127.0.0.1:8000/{page}.html</code>.</p>
<p data-when="silent folder" hidden>The page also runs without a browser's Python: run <code>make lab</code> in the
book's repository, and open {notebook}.</p>
</div>
<p><a href="{url}" target="_blank" rel="noopener">Open the notebook</a></p>
<p hidden><button type="button">Ask again</button></p>
<p>A notebook with Python in it opens in a new tab: change the code, move live sliders, run cells by Shift and Enter.
{download} Later visits take them from your browser. It is slower there: a cell that would take minutes does less, and
says so, for its numbers are then not those of which the text speaks. Your changes stay in this browser, and nobody
else sees them; <em>Clear Browser Data</em> in the menu Help gives all pages back as they were.</p>
</details>
"""
DOWNLOAD = f"""The first time some {DOWNLOAD_MB} MB are loaded ({TABLES_DOWNLOAD_MB} where a page reads tables),
{SITE_DOWNLOAD_MB} MB of them from this site, and Python itself with NumPy, SciPy, scikit-learn and Matplotlib from
{urlsplit(PYODIDE).hostname}."""
OWN_DOWNLOAD = f"""The first time some {DOWNLOAD_MB} MB are loaded ({TABLES_DOWNLOAD_MB} where a page reads tables), all
of them from this site: Python itself with NumPy, SciPy, scikit-learn and Matplotlib."""
# Above each page of JupyterLite, which takes the rest of the window: the way back to the page of the book that the
# notebook is made from. It also says if Python does not come; JupyterLite itself shows no more than a red sign.
BAR = """<style>
#to-book { height: 2.75rem; padding: 0 0.75rem; font: 1rem/2.75rem system-ui, sans-serif;
  background: var(--jp-layout-color1, #fff); }
#to-book a { display: block; width: fit-content; max-width: 100%%; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; color: var(--jp-content-link-color, #0a5a9c); }
#to-book p { position: fixed; z-index: 1; inset: auto 0 0; margin: 0; line-height: 1.4;
  background: #8c1d18; color: #fff; }
#to-book p:not(:empty) { padding: 0.75rem; }
body > #main.jp-ThemedContainer { top: 2.75rem; }
</style>
<nav id="to-book" aria-label="Book"><a href="../../%(root)s.html">Back to the book</a><p role="status"></p></nav>
<script type="module">
const pages = %(pages)s;
const [page, title] = pages[new URLSearchParams(location.search).get("path")] ?? [];
if (page) {
  const link = document.querySelector("#to-book a");
  link.href = `../../${page}.html`;
  link.textContent = `Back to the book: ${title}`;
  const settings = await (await fetch("../jupyter-lite.json")).json();
  const python = new URL(settings["jupyter-config-data"].litePluginSettings["%(kernel)s:kernel"].pyodideUrl,
    new URL("../", location));
  const answer = await fetch(python, {signal: AbortSignal.timeout(20000)}).catch(() => null);
  if (!answer?.ok) document.querySelector("#to-book p").textContent =
    `No cell will run: Python comes from ${python.host}, which does not answer. The book's page says what else to do.`;
}
</script>
"""


def wheels():
    """The folder of the packages for the browser, downloaded unless it has the versions of this environment."""
    wanted = [f"{name}=={version(name)}" for name in WHEELS]
    folder = INSTALLED.parent / "kernelbook-wheels"
    listing = folder / "packages.txt"
    if not listing.is_file() or listing.read_text().split() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        pyodide.pip("download", "--dest", str(folder), "--only-binary=:all:", *wanted)
        listing.write_text("\n".join(wanted))
    return folder


def live_version(notebook, rewrite):
    """The notebook without outputs, with a first code cell that installs the library from the site.

    The function `rewrite` is applied to its Markdown.
    """
    more = " vega_datasets" * any("vega_datasets" in cell.source for cell in notebook.cells)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            if cell.source.startswith(SETUP):
                _, *others = cell.source.removeprefix(SETUP).split("\n")
                cell.source = "\n".join([f"%pip install -q kernelbook[figures]{more}", *others])
        elif cell.cell_type == "markdown":
            cell.source = rewrite(cell.source)
    notebook.metadata.kernelspec = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
    return notebook


def configure(folder, contents, output):
    """Write the configuration of `jupyter lite build`, without extensions of the machine's own JupyterLab."""
    installed = Path(sys.prefix) / "share" / "jupyter" / "labextensions"
    options = {
        "contents": [str(contents)],
        "output_dir": str(output),
        "cache_dir": str(folder / "cache"),
        "apps": APPS,
        "ignore_sys_prefix": ["federated_extensions"],
        "federated_extensions": [str(installed / name) for name in EXTENSIONS],
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
    }
    wheels = {"piplite_urls": [str(folder / "wheels")]}
    (folder / "jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": options, "PipliteAddon": wheels}))
    settings = {f"{KERNEL}:kernel": {"pyodideUrl": PYODIDE}}
    data = {"appUrl": "./tree", "litePluginSettings": settings}  # the address of the folder lists the notebooks
    site = {"jupyter-lite-schema-version": 0, "jupyter-config-data": data}
    (folder / "jupyter-lite.json").write_text(json.dumps(site))


def rewriter(page, env):
    """A function that replaces references in a page's text by links and by the site's numbers."""
    numbers = {
        identity.removeprefix("equation-"): (other, kind, ".".join(map(str, number)))
        for other, kinds in env.toc_fignumbers.items()
        for kind, found in kinds.items()
        for identity, number in found.items()
    }
    entries = env.domaindata["cite"]["bibdata"].data.entries

    def link(found):
        text, target, _, place = found.groups()
        other = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
        is_notebook = other in env.found_docs and Path(env.doc2path(other)).suffix == ".ipynb"
        return f"[{text}]({name_of(other)}{place or ''})" if is_notebook else text

    def role(found):
        name, asked = found.groups()
        if name.startswith("cite"):
            sources = [authors_and_year(entries[key.strip()]) for key in asked.split(",")]
            if name == "cite:t":
                return ", ".join(f"{who} ({year})" if year else who for who, year in sources)
            return f"({'; '.join(f'{who}, {year}' if year else who for who, year in sources)})"
        if name == "doc":
            other = posixpath.normpath(posixpath.join(posixpath.dirname(page), asked))
            return f"[{env.titles[other].astext()}]({name_of(other)})"
        other, kind, number = numbers[asked]
        if name == "numref":
            return f"Fig. {number}"
        if other == page:
            return found[0]  # JupyterLite resolves it
        return f"({number})" if name == "eq" else f"{kind.title()} {number}"

    return lambda source: ROLE.sub(role, LINK.sub(link, CLASS.sub("", source)))


def authors_and_year(source):
    """The last names of a source's authors or editors, as in a sentence, and its year or None."""
    persons = source.persons.get("author") or source.persons["editor"]
    names = [re.sub(r"[{}]", "", " ".join([*person.prelast_names, *person.last_names])) for person in persons]
    return f"{names[0]} et al." if len(names) > 2 else " and ".join(names), source.fields.get("year")


def build(folder, notebooks, output):
    """Write a JupyterLite with these notebooks into `output`, using `folder` for intermediate files.

    `notebooks` maps names to pairs: the path of the notebook for the reader, and the function that rewrites its text.
    """
    shutil.rmtree(folder, ignore_errors=True)
    contents = folder / "contents"
    for name, (source, rewrite) in notebooks.items():
        path = contents / name
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(live_version(nbformat.read(source, as_version=4), rewrite), path)
    shutil.copytree(wheels(), folder / "wheels")
    source = folder / "source"  # a copy, because setuptools leaves build files beside the library and reuses them
    shutil.copytree(LIBRARY, source / "kernelbook", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(LIBRARY.parent / name, source)
    pyodide.pip("wheel", "--no-build-isolation", "--wheel-dir", str(folder / "wheels"), str(source))
    configure(folder, contents, output)
    command = [sys.executable, "-m", "jupyterlite_core.app", "build"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"JupyterLite cannot be built:\n{done.stdout}{done.stderr}")


def notebooks(app):
    """The notebooks of the site, as `build` takes them."""
    found = {}
    for page in sorted(app.env.found_docs):
        source = Path(app.env.doc2path(page))
        if source.suffix == ".ipynb":
            exercise = page.startswith(FOLDER)
            got = Path(app.outdir) / download_of(page) if exercise else source
            found[name_of(page)] = got, rewriter(page, app.env)
    return found


def name_of(page):
    return page.removeprefix("book/").replace("/", "-") + ".ipynb"


def add_way_back(folder, env, root):
    """Put the bar with the way back into the pages of the JupyterLite in `folder`."""
    names = {name_of(page): [page, title.astext()] for page, title in env.titles.items()}
    pages = {name: page for name, page in names.items() if (folder / "files" / name).is_file()}
    listed = json.dumps(pages, ensure_ascii=False).replace("<", "\\u003c")
    bar = BAR % {"root": root, "pages": listed, "kernel": KERNEL}
    for app in APPS:
        path = folder / app / "index.html"
        html = path.read_text(encoding="utf-8").replace("<html>", '<html lang="en">')
        html = re.sub(r"</head>(\s*<body[^>]*>)?", lambda start: start[0] + bar, html, count=1)
        path.write_text(html, encoding="utf-8")


def add_pyodide(folder):
    """Let the JupyterLite in `folder` have Pyodide itself, and ask no other host."""
    pyodide.copy(folder / Path(OWN_PYODIDE).parent)
    path = folder / "jupyter-lite.json"
    site = json.loads(path.read_text(encoding="utf-8"))
    site["jupyter-config-data"]["litePluginSettings"][f"{KERNEL}:kernel"]["pyodideUrl"] = f"./{OWN_PYODIDE}"
    path.write_text(json.dumps(site), encoding="utf-8")


def button(app, page, pathto):
    """The fold that offers to run a page."""
    exercise = "the notebook that this page offers for download, saved in the folder <code>book</code>"
    own = app.config.own_pyodide
    return BUTTON.format(
        url=pathto(f"{LIVE_FOLDER}/notebooks/index.html", 1) + f"?path={name_of(page)}",
        python=pathto(f"{LIVE_FOLDER}/{OWN_PYODIDE}", 1) if own else PYODIDE,
        host="this site" if own else urlsplit(PYODIDE).hostname,
        size=DOWNLOAD_MB,
        page=page,
        notebook=exercise if page.startswith(FOLDER) else f"<code>{page}.ipynb</code>",
        download=OWN_DOWNLOAD if own else DOWNLOAD,
    )


def offer(app, page, template, context, doctree):
    """Put the button to run a page under its title and prerequisites, or at the end of the landing page."""
    if doctree is not None and Path(app.env.doc2path(page)).suffix == ".ipynb":
        offered = button(app, page, context["pathto"])
        if page == context["root_doc"]:
            context["body"] = offered.join(context["body"].rpartition("</section>")[::2]) + "</section>"
        else:
            context["body"] = HEAD.sub(lambda head: f"{head[0]}\n{offered}", context["body"], count=1)


def start(app, exception):
    """Build in a thread, since it waits for other processes, while other extensions finish the pages."""
    if exception is None and app.builder.format == "html":
        folder = Path(app.outdir).parent / "live"
        app.live_build = ThreadPoolExecutor(1).submit(build, folder, notebooks(app), folder / "site")


def finish(app, exception):
    if exception is None and app.builder.format == "html":
        app.live_build.result()
        folder = Path(app.outdir) / LIVE_FOLDER
        shutil.rmtree(folder, ignore_errors=True)
        shutil.move(Path(app.outdir).parent / "live" / "site", folder)
        add_way_back(folder, app.env, app.config.root_doc)
        if app.config.own_pyodide:
            add_pyodide(folder)


def setup(app):
    app.add_config_value("own_pyodide", os.environ.get("KERNELBOOK_PYODIDE") == "1", "html")
    app.add_js_file("live.js", loading_method="defer")
    app.connect("html-page-context", offer)
    app.connect("build-finished", start, priority=600)  # after the students' notebooks are written
    app.connect("build-finished", finish, priority=960)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
