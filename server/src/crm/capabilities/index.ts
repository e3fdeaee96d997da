import type { Module } from '../../kernel/index.ts'
import { getCapabilities } from './capabilities.ts'

export const capabilities: Module = { operations: [getCapabilities] }
