import type { Module } from '../../kernel/index.ts'
import { getSummary } from './summary.ts'

export const analytics: Module = { operations: [getSummary] }
