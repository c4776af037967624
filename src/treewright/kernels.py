"""Compiled kernels: one decorator, one cache.

``@kernel`` compiles a function with Numba.  It runs without the GIL, the compiled code is cached on disk, and those
fast-math optimizations are on that respect minus infinity, the score of forbidden arcs (``ninf`` is *not* assumed).
NaN never reaches a kernel: the wrappers refuse it.

Numba's cache notices a change in the file of a kernel, but not in other files whose kernels it calls.  So the cache is
in a directory named after the state of the whole package: a new version or an edited module starts a new one, and the
old one of the same installation is removed.
"""

# mypy: allow-untyped-calls
# (Numba's functions have no types.)

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import shutil
import stat
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba import _dynfunc, types  # type: ignore[attr-defined]
from numba.core import codegen, typed_passes, untyped_passes
from numba.core.caching import FunctionCache
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.core.typed_passes import NativeLowering
from numba.extending import intrinsic, register_jitable

__all__ = [
    "INNER", "are_compiled", "copy", "exact_inner_kernel", "exact_kernel", "inner_kernel", "kernel", "mark_compiled",
    "prefetch", "subroutine",
]  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])

#: Optimizations that let reductions vectorize.  ``nnan`` and ``nsz`` turn a comparison into a vector maximum,
#: ``reassoc`` and ``contract`` split and fuse sums.
FAST_MATH = {"nnan", "nsz", "reassoc", "contract", "arcp"}

_PACKAGE = Path(__file__).parent


class _Cache(FunctionCache):
    """Numba's cache, which loads compiled code without importing all that is needed to compile more.

    Numba first imports the implementations of everything that compiled code can call, and SciPy, which takes half a
    second.  The compiler does so too, when there is something to compile.

    Closures are told apart by their code and by what they close over.  Numba pickles both, but a pickle also depends on
    which strings are one object, and so on whether a module was loaded from its bytecode: what the first process
    compiles, the second would compile again.
    """

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        described = repr(_describe(self._py_func, {})).encode()
        return sig, codegen.magic_tuple(), hashlib.sha256(described).hexdigest()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)  # loaded code may allocate arrays
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def _describe(value: Any, seen: dict[int, int]) -> Any:
    """Describe a function by its code and what it closes over, in the same way in every process."""
    value = getattr(value, "py_func", value)
    if not isinstance(value, FunctionType):
        return [_describe(member, seen) for member in value] if isinstance(value, tuple) else dumps(value)
    if id(value) in seen:
        return seen[id(value)]
    seen[id(value)] = len(seen)
    cells = value.__closure__ or ()
    # Under a profiler Numba clears flags; later versions of the format show which strings are one object.
    code = marshal.dumps(value.__code__.replace(co_flags=0), 2)
    return value.__module__, value.__qualname__, code, [_describe(cell.cell_contents, seen) for cell in cells]


def kernel(function: F) -> F:
    """Compile ``function`` on first use; the compiled code is cached and runs without the GIL."""
    return _compiled(function, fastmath=FAST_MATH)


def exact_kernel(function: F) -> F:
    """Compile ``function`` as `kernel` does, but add numbers up in the order in which they are written."""
    return _compiled(function)


def inner_kernel(function: F) -> F:
    """Compile ``function`` as part of the kernels that call it, with the options of `kernel`.

    That is for what one or two kernels call: a kernel is optimized for its own sake, and again in each that calls it.
    From Python it stays an ordinary function.
    """
    return _inner(function, fastmath=FAST_MATH)


def exact_inner_kernel(function: F) -> F:
    """Compile ``function`` as part of the kernels that call it, with the options of `exact_kernel`."""
    return _inner(function)


def _inner(function: F, **options: Any) -> F:
    compiled: F = register_jitable(error_model="numpy", **INNER, **options)(function)
    return compiled


def subroutine(**options: Any) -> Callable[[F], F]:
    """Let kernels call a small function without closures and array expressions, which is compiled with them.

    From Python it stays an ordinary function.
    """
    return cast(Callable[[F], F], register_jitable(pipeline_class=_SubroutineCompiler, **_PLAIN, **options))


class _SubroutineCode(codegen.JITCodeLibrary):
    """The code of a subroutine: optimized and translated with every kernel that calls it, so not by itself."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _SubroutineLowering(NativeLowering):
    """Numba's last step, less the machine code that nobody calls: an eighth of the work."""

    _name = "subroutine_lowering"

    def run_pass(self, state: Any) -> Any:
        state.library = _SubroutineCode(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        state.targetctx.get_executable = _without_code  # a copy, for this function alone
        return super().run_pass(state)


def _without_code(library: Any, about: Any, environment: Any) -> Any:
    """Make the function by which Numba knows a subroutine; it cannot be called."""
    return _dynfunc.make_function(about.lookup_module(), about.qualname, "", 0, environment, (library,))


class _InnerCompiler(CompilerBase):
    """Numba's compiler for what only kernels call."""

    skipped: frozenset[Any] = frozenset()

    def define_pipelines(self) -> list[Any]:
        default = DefaultPassBuilder.define_nopython_pipeline(self.state)
        made = PassManager("inner")
        for step, about in default.passes:
            if step not in self.skipped:
                made.add_pass(_SubroutineLowering if step is NativeLowering else step, about)
        made.finalize()
        return [made]


class _SubroutineCompiler(_InnerCompiler):
    """The same without the steps for closures, expressions of whole arrays, ``with`` and the like."""

    skipped = frozenset({
        typed_passes.InlineOverloads, typed_passes.NopythonRewrites, untyped_passes.InlineClosureLikes,
        untyped_passes.InlineInlinables, untyped_passes.LiteralPropagationSubPipelinePass,
        untyped_passes.LiteralUnroll, untyped_passes.MakeFunctionToJitFunction, untyped_passes.WithLifting,
    })  # fmt: skip


#: The options of Numba for functions that only kernels call.
INNER: dict[str, Any] = {"no_cfunc_wrapper": True, "pipeline_class": _InnerCompiler}

#: Numba would also compile a wrapper of each function for callers in C, a quarter of its work.
_PLAIN = {"no_cfunc_wrapper": True}


def _compiled(function: F, **options: Any) -> F:
    jit: Any = numba.njit  # its types do not know all of its options
    compiled = jit(function, nogil=True, error_model="numpy", **_PLAIN, **options)
    if not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        compiled._cache = _Cache(compiled.py_func)
    return cast(F, compiled)


_llvm: Any = ir  # it has no types


@intrinsic
def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, number = _llvm.IntType(8).as_pointer(), _llvm.IntType(32)
        kind = _llvm.FunctionType(_llvm.VoidType(), [byte, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch.p0", fnty=kind)
        place = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        builder.call(function, [place, *(_llvm.Constant(number, k) for k in (0, 3, 1))])  # to read, keep, data
        return context.get_dummy_value()

    return types.none(array, types.uintp), generate


@subroutine()
def prefetch(array: Any, index: Any) -> None:
    """Start loading ``array[index]`` into the cache, while something else is done (inside kernels only)."""
    _prefetch(array, index)  # type: ignore[call-arg]


@subroutine()
def copy(source: Any, target: Any) -> None:
    """Copy the numbers of an array to the beginning of another.

    Slices do the same, but five more seconds of compiling are for what they say where shapes differ.
    """
    for i in range(len(source)):
        target[i] = source[i]


def are_compiled(task: str) -> bool:
    """Check whether an earlier process has compiled what a task needs, so that it starts quickly."""
    return (_CACHE / f"{task}.compiled").exists()


def mark_compiled(task: str) -> None:
    """Record that everything that a task needs is in the cache now."""
    if _CACHE.is_dir():
        (_CACHE / f"{task}.compiled").touch()


def _fingerprint() -> str:
    """Return a fingerprint of the package, which changes when any of its modules does."""
    state = zlib.crc32(numba.__version__.encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        status = path.stat()
        state = zlib.crc32(f"{path} {status.st_size} {status.st_mtime_ns}".encode(), state)
    return f"{state:08x}"


def _cache_root() -> Path:
    """Find a directory for the cache: the user's, or a temporary one if that cannot be written."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    installation = f"{zlib.crc32(str(_PACKAGE).encode()):08x}"
    root = Path(base) / "treewright" / installation
    try:
        root.mkdir(parents=True, exist_ok=True)
        if os.access(root, os.W_OK):
            return root
    except OSError:
        pass
    return _temporary_root()


def _temporary_root() -> Path:
    """Create a directory that only this user can write to: what is in a cache is executed."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    root = Path(tempfile.gettempdir()) / f"treewright-{user}"
    with contextlib.suppress(OSError):
        root.mkdir(mode=0o700, exist_ok=True)
        status = root.lstat()
        if stat.S_ISDIR(status.st_mode) and status.st_uid == user and not status.st_mode & 0o022:
            return root
    return Path(tempfile.mkdtemp(prefix="treewright-"))


def _choose_cache() -> Path:
    if os.environ.get("NUMBA_CACHE_DIR"):
        return Path(os.environ["NUMBA_CACHE_DIR"])
    root = _cache_root()
    cache = root / _fingerprint()
    if not cache.is_dir():
        for stale in root.glob("*"):
            shutil.rmtree(stale, ignore_errors=True)
        cache.mkdir(parents=True, exist_ok=True)
    numba.config.CACHE_DIR = str(cache)  # type: ignore[attr-defined]
    return cache


_CACHE = _choose_cache()
