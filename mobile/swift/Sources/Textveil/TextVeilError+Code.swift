import Foundation

extension TextVeilError {
    /// The stable code of the error, the same in every language: what a program should look at, and may log.
    public var code: String { details.code }

    /// For people; holds nothing of the user's text.
    public var message: String { details.message }

    private var details: (code: String, message: String) {
        switch self {
        case .BadTable(let message): ("bad-table", message)
        case .BadRequest(let message): ("bad-request", message)
        case .OtherTable(let message): ("other-table", message)
        case .AlreadyContributed(let message): ("already-contributed", message)
        case .NormExceeded(let message): ("norm-exceeded", message)
        case .NoiseElsewhere(let message): ("noise-elsewhere", message)
        case .TooMany(let message): ("too-many", message)
        case .AlreadyReleased(let message): ("already-released", message)
        case .BadStatements(let message): ("bad-statements", message)
        case .OtherEncoder(let message): ("other-encoder", message)
        case .InvalidEta(let message): ("invalid-eta", message)
        case .InvalidEpsilon(let message): ("invalid-epsilon", message)
        case .InvalidLevel(let message): ("invalid-level", message)
        case .InvalidDelta(let message): ("invalid-delta", message)
        case .InvalidClip(let message): ("invalid-clip", message)
        case .InvalidLambda(let message): ("invalid-lambda", message)
        case .InvalidGamma(let message): ("invalid-gamma", message)
        case .InvalidT(let message): ("invalid-t", message)
        case .InvalidIntegerBits(let message): ("invalid-integer-bits", message)
        case .InvalidFractionBits(let message): ("invalid-fraction-bits", message)
        case .InvalidTilt(let message): ("invalid-tilt", message)
        case .InvalidMass(let message): ("invalid-mass", message)
        case .InvalidFrequencyPower(let message): ("invalid-frequency-power", message)
        case .InvalidMechanism(let message): ("invalid-mechanism", message)
        case .InvalidCalibration(let message): ("invalid-calibration", message)
        case .InvalidOptions(let message): ("invalid-options", message)
        case .InvalidScale(let message): ("invalid-scale", message)
        case .InvalidArgument(let message): ("invalid-argument", message)
        case .InvalidBudget(let message): ("invalid-budget", message)
        case .InvalidDropout(let message): ("invalid-dropout", message)
        case .InvalidMask(let message): ("invalid-mask", message)
        case .InvalidVector(let message): ("invalid-vector", message)
        case .DimensionMismatch(let message): ("dimension-mismatch", message)
        case .NotNormalized(let message): ("not-normalized", message)
        case .NotOffered(let message): ("not-offered", message)
        case .InvalidSpan(let message): ("invalid-span", message)
        case .InvalidKeepWords(let message): ("invalid-keep-words", message)
        case .InvalidNeverSay(let message): ("invalid-never-say", message)
        case .TextTooLong(let message): ("text-too-long", message)
        case .OtherLanguage(let message): ("other-language", message)
        case .EntropyUnavailable(let message): ("entropy-unavailable", message)
        case .BudgetExhausted(let message): ("budget-exhausted", message)
        case .BadLedger(let message): ("bad-ledger", message)
        case .Internal(let message): ("internal", message)
        }
    }
}

extension TextVeilError: LocalizedError {
    public var errorDescription: String? { message }
}

/// What `work` gives. A fault of the library itself (a panic, or what the bindings cannot read) becomes
/// ``TextVeilError/Internal(message:)``: its message might quote the text, and is left out.
func refusals<Result>(_ work: () throws -> Result) throws(TextVeilError) -> Result {
    do {
        return try work()
    } catch let refusal as TextVeilError {
        throw refusal
    } catch {
        throw .Internal(message: "textveil has failed; nothing was released")
    }
}
