// Adds the matchers of Quipu to `expect` of @jest/globals: name '@quipu/testing/jest-globals' in `setupFilesAfterEnv`.
const { expect } = require('@jest/globals')
const { matchers } = require('@quipu/testing')

expect.extend(matchers)
