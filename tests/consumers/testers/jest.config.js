// CommonJS tests get the package, which has ES modules, in two ways. Jest supports such modules with a flag of Node
// (`modules`), or they are compiled to CommonJS (`compiled`).

module.exports = {
  // A busy machine is slow, in milliseconds.
  testTimeout: 60_000,
  projects: [
    {
      displayName: 'modules',
      testMatch: ['<rootDir>/modules/*.test.js'],
      setupFiles: ['<rootDir>/modules/setup.js'],
    },
    {
      displayName: 'compiled',
      testMatch: ['<rootDir>/compiled/*.test.js'],
      transform: { '/node_modules/textveil/': '<rootDir>/compiled/commonjs.js', '\\.[jt]sx?$': 'babel-jest' },
      transformIgnorePatterns: ['/node_modules/(?!textveil/)'],
    },
  ],
};
