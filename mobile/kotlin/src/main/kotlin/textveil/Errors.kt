package textveil

/**
 * What [work] gives. A fault of the library itself (a panic, or what the bindings cannot read) becomes
 * [TextVeilException.Internal]: its message might quote the text, and is left out.
 */
internal inline fun <T> refusals(work: () -> T): T =
    try {
        work()
    } catch (refusal: TextVeilException) {
        throw refusal
    } catch (closed: IllegalStateException) {
        // A call after `close`.
        throw closed
    } catch (fault: Exception) {
        throw TextVeilException.Internal("textveil has failed; nothing was released")
    }

/** The stable code of the error, the same in every language: what a program should look at, and may log. */
val TextVeilException.code: String
    get() = when (this) {
        is TextVeilException.BadTable -> "bad-table"
        is TextVeilException.BadRequest -> "bad-request"
        is TextVeilException.OtherTable -> "other-table"
        is TextVeilException.AlreadyContributed -> "already-contributed"
        is TextVeilException.NormExceeded -> "norm-exceeded"
        is TextVeilException.NoiseElsewhere -> "noise-elsewhere"
        is TextVeilException.TooMany -> "too-many"
        is TextVeilException.AlreadyReleased -> "already-released"
        is TextVeilException.BadStatements -> "bad-statements"
        is TextVeilException.OtherEncoder -> "other-encoder"
        is TextVeilException.InvalidEta -> "invalid-eta"
        is TextVeilException.InvalidEpsilon -> "invalid-epsilon"
        is TextVeilException.InvalidLevel -> "invalid-level"
        is TextVeilException.InvalidDelta -> "invalid-delta"
        is TextVeilException.InvalidClip -> "invalid-clip"
        is TextVeilException.InvalidLambda -> "invalid-lambda"
        is TextVeilException.InvalidGamma -> "invalid-gamma"
        is TextVeilException.InvalidT -> "invalid-t"
        is TextVeilException.InvalidIntegerBits -> "invalid-integer-bits"
        is TextVeilException.InvalidFractionBits -> "invalid-fraction-bits"
        is TextVeilException.InvalidTilt -> "invalid-tilt"
        is TextVeilException.InvalidMass -> "invalid-mass"
        is TextVeilException.InvalidFrequencyPower -> "invalid-frequency-power"
        is TextVeilException.InvalidMechanism -> "invalid-mechanism"
        is TextVeilException.InvalidCalibration -> "invalid-calibration"
        is TextVeilException.InvalidOptions -> "invalid-options"
        is TextVeilException.InvalidScale -> "invalid-scale"
        is TextVeilException.InvalidArgument -> "invalid-argument"
        is TextVeilException.InvalidBudget -> "invalid-budget"
        is TextVeilException.InvalidDropout -> "invalid-dropout"
        is TextVeilException.InvalidMask -> "invalid-mask"
        is TextVeilException.InvalidVector -> "invalid-vector"
        is TextVeilException.DimensionMismatch -> "dimension-mismatch"
        is TextVeilException.NotNormalized -> "not-normalized"
        is TextVeilException.NotOffered -> "not-offered"
        is TextVeilException.InvalidSpan -> "invalid-span"
        is TextVeilException.InvalidKeepWords -> "invalid-keep-words"
        is TextVeilException.InvalidNeverSay -> "invalid-never-say"
        is TextVeilException.TextTooLong -> "text-too-long"
        is TextVeilException.OtherLanguage -> "other-language"
        is TextVeilException.EntropyUnavailable -> "entropy-unavailable"
        is TextVeilException.BudgetExhausted -> "budget-exhausted"
        is TextVeilException.BadLedger -> "bad-ledger"
        is TextVeilException.Internal -> "internal"
    }
