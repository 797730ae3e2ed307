"""The Sphinx extensions of the book's site: every module listed here is an extension of its own."""

EXTENSIONS = [
    "kernelbook_site",
    "exercises",
    "execution",
    "formulas",
    "chapters",
    "places",
    "page_map",
    "figures",
    "replications",
    "printed_tables",
    "stacked_tables",
    "folds",
    "kernel_reference",
    "reference",
    "code_links",
    "named_results",
    "claims",
    "claims_picture",
    "previews",
    "search",
    "live",
]


def setup(app):
    for name in EXTENSIONS:
        app.setup_extension(f"{__name__}.{name}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
