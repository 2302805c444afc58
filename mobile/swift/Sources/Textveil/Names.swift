/// An enum whose cases have names that are the same in every language: `metric-laplace` for `metricLaplace`. As
/// `rawValue` they are what JSON holds and what tables and files are about.
public protocol Named: CaseIterable, Codable, RawRepresentable where RawValue == String {}

extension Named {
    public var rawValue: String {
        String(describing: self).reduce(into: "") { name, letter in
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
    public var rawValue: String { String(describing: self) }
}
