// Adds the matchers of Quipu to Vitest: `import '@quipu/testing/vitest'` in a test or in a file of `setupFiles`.
import { matchers } from '@quipu/testing'
import { expect } from 'vitest'

expect.extend(matchers)

export * from '@quipu/testing'
