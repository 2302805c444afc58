/// An enum whose cases have names that are the same in every language: `metric-laplace` for `metricLaplace`. As
/// `rawValue` they are what JSON holds and what tables and files are about.
public protocol Named: CaseIterable, Codable, RawRepresentable where RawValue == String {}

extension Named {
    /// The name of the case in Swift. Only reflection metadata has it.
    fileprivate var caseName: String {
        let name = String(describing: self)
        precondition(!name.contains("("), "textveil needs Swift's reflection metadata: do not turn it off for this module")
        return name
    }

    public var rawValue: String {
        caseName.reduce(into: "") { name, letter in
            if letter.isUppercase { name.append("-") }
            name.append(letter.lowercased())
        }
    }

    public init?(rawValue: String) {
        guard let named = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = named
    }
}

extension Calibration: Named {}
extension Found: Named {}
extension InTheClear: Named {}
extension Mechanism: Named {}
extension Metric: Named {}
extension Notion: Named {}
extension Preset: Named {}
extension PrivacyUnit: Named {}
extension TokenKind: Named {}

extension Parameter: Named {
    /// Names of parameters are written in camel case everywhere: `integerBits`.
    public var rawValue: String { caseName }
}
