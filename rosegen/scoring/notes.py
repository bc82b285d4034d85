"""Texts that are values of fields in ROSE's files, so that these come out equal.

They are those of ROSE's public evaluator (MIT licence).
"""

from __future__ import annotations

SUMMARY_NOTES = {
    "PASS": "Strict exact success: formal grammar must be valid and the count/click "
    "set/submission must be exactly correct.",
    "VALID": "Exact formal-grammar validity, independent of semantic correctness.",
    "SOFT": "COUNT=count soft; CLICK=strict click F1; CLICK_COUNT=mean(strict click F1, "
    "count soft, click-submit consistency).",
    "Table 1": "Subset scores are item means. Avg. PASS/SOFT and VALID are macro averages over "
    "visual subsets with available rows.",
    "Table 2": "Each template PASS, C-F1, and R-OK is macro-averaged over visual subsets with "
    "available rows. Avg. PASS is the mean of the five template PASS values.",
}
PARTIAL_WARNING = (
    "Metrics from a sampled run are diagnostic and are not directly comparable to the full "
    "official test results."
)
CONDITIONED_NOTE = (
    "Computed only from scenes for which both sampled T1 and action rows are available. A random "
    "partial run may have a small denominator."
)
GLOBAL_CLICK_NOTES = {
    "G-Clk": "Strict exact-set PASS for global odd-cell clicking.",
    "Card-Exact": "Unique valid click count equals the target count and the formal action is "
    "clean.",
    "Loc-Exact|Card-Exact": "Exact-set PASS among samples with correct click cardinality.",
    "G-Clk|G-Cnt correct": "Bridge PASS on paired scenes whose original T1 count is correct.",
}
MATCHED_COUNT_NOTES = {
    "mL-Cnt": "Strict COUNT PASS on the exact same numeric region and target set as the paired "
    "original T3 local-click item.",
    "L-Clk|mL-Cnt correct": "Original T3 exact-set PASS restricted to pairs whose matched local "
    "count is correct.",
    "Transfer failure": "1 - L-Clk|mL-Cnt correct.",
}
CONSISTENCY_CONDITION = "same-scene T1_COUNT_GLOBAL pass == 1"
CONSISTENCY_NOTES = {
    "macro": "Equal average over available ROSE subsets.",
    "paired_denominator": "Each conditioned metric uses T1-correct scenes where the corresponding "
    "target template is available. Missing pairs are reported separately rather than counted as "
    "failures.",
    "Action Ret.": "Mean of L-Clk|T1, V-Clk|T1 and Excl-CS|T1.",
}
