"""What ``croft run`` says when a run has ended."""

from pathlib import Path

from croft.cli.options import err
from croft.results.result import Result
from croft.results.tables import (
    analysis_table,
    coherence_summary,
    fast_forward_sentence,
    headline,
    statistics_tables,
    threads_table,
    unsimulated_sentence,
)


def tell_ending(
    result: Result,
    *,
    check: str | None,
    was_to_analyze: bool,
    statistics: bool,
    quiet: bool,
    checkpoint_file: Path | None,
    more_seconds: float,
) -> None:
    """Prints how the run ended and what was asked for, on standard error.

    ``more_seconds`` are those that the command took beside the simulation.
    """
    if result.ending != "exited":
        err.print(threads_table(result) if result.threads else result.message, highlight=False, markup=False)
    for finding in result.coherence:
        err.print(str(finding), highlight=False, markup=False, soft_wrap=True)
    for race in result.races:
        err.print(str(race), highlight=False, markup=False, soft_wrap=True)
    if not quiet:
        for of_library in result.library_races:
            err.print(str(of_library), highlight=False, markup=False, soft_wrap=True)
    if check == "coherence":
        for sentence in coherence_summary(result):
            err.print(sentence, highlight=False, markup=False, soft_wrap=True)
    if check == "races":
        pairs = f" of {len(result.races)} pairs of places" if result.race_count else ""
        err.print(f"races: {result.race_count:,}{pairs}", highlight=False, markup=False)
    if result.analysis and result.analysis.runs:
        err.print(analysis_table(result.analysis), highlight=False)
    elif result.analysis:
        err.print("nothing was analysed: no task_scheduler::run() by the default run-time", highlight=False)
    elif was_to_analyze:
        err.print("nothing was analysed: the program ended before it could tell", highlight=False)
    if statistics:
        for table in statistics_tables(result):
            err.print(table, highlight=False)
    if result.unsimulated and not quiet:
        err.print(unsimulated_sentence(result), highlight=False, markup=False, soft_wrap=True)
    if result.fast_forwarded and not (quiet and result.fast_forwarded.has_come):
        err.print(fast_forward_sentence(result), highlight=False, markup=False, soft_wrap=True)
    if not quiet:
        err.print(headline(result, more_seconds), highlight=False, markup=False, soft_wrap=True)
    if result.checkpoint is not None and result.ending in ("cycle_limit", "time_limit", "interrupted") and not quiet:
        goes_on = f"croft run --restore {checkpoint_file} goes on at cycle {result.checkpoint:,}"
        err.print(goes_on, highlight=False, markup=False, soft_wrap=True)
