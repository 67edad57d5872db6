// Adds the matchers of Quipu to Jest: name '@quipu/testing/jest' in `setupFilesAfterEnv`.
const { matchers } = require('@quipu/testing')

globalThis.expect.extend(matchers)
