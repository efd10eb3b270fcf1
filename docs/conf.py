"""Settings of the documentation; CONTRIBUTING.md has the command that builds it."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext")]

import skmetrics_ext  # noqa: E402

project = "skmetrics_ext"
author = "The skmetrics_ext developers"
copyright = author
version = release = skmetrics_ext.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "api_pages",
    "linked_names",
    "mathml",
    "scikit_learn",
]
root_doc = "index"
exclude_patterns = ["_build", "_ext", "gallery/README.rst"]
html_math_renderer = "mathml"
nitpicky = True  # a name in single backticks is that of an object
nitpick_ignore = {("py:obj", "functools.partial")}
default_role = "py:obj"
# The gallery is given a function, which Sphinx cannot keep between builds.
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["attrs_block", "dollarmath"]
myst_heading_anchors = 3

numpydoc_show_class_members = False
numpydoc_validation_checks = set()
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = False  # those of displays are not in their source
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88

# The second place serves where there is no network; _ext/scikit_learn.py writes it.
intersphinx_mapping = {
    "sklearn": ("https://scikit-learn.org/stable/", (None, "api/sklearn.inv")),
}
intersphinx_timeout = 5

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"[\\/]plot_",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "doc_module": ("skmetrics_ext",),
    "backreferences_dir": "api/backreferences",
    "within_subsection_order": "FileNameSortKey",
    "reset_modules": ("matplotlib", "strict.warnings_are_errors"),
    "reset_modules_order": "both",
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "capture_repr": ("_repr_html_", "__repr__"),
}

html_theme = "pydata_sphinx_theme"
html_title = "skmetrics_ext"
html_static_path = ["_static"]
html_extra_path = ["llms.txt"]  # an index for programs that read the site
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
# Pages that stand alone have no list of their neighbours; wide tables take the right side too.
WIDE = ("which_metric", "differences", "glossary", "quantities", "coverage", "compared")
html_sidebars = {page: [] for page in ("index", "definitions", *WIDE)}
html_theme_options = {
    "logo": {"text": "skmetrics_ext"},
    "navbar_align": "left",
    "header_links_before_dropdown": 5,
    "show_toc_level": 2,
    "secondary_sidebar_items": {
        "**": ["page-toc"], "index": [], "performance": [], **dict.fromkeys(WIDE, [])
    },
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

os.environ.setdefault("MPLBACKEND", "agg")
warnings.filterwarnings("ignore", message=".*sphinx.*", category=DeprecationWarning)
