// CommonJS tests get the package, which is of ES modules, in two ways: by Jest's support of such modules, which needs a flag of Node
// (`modules`), or compiled to CommonJS (`compiled`).

module.exports = {
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
