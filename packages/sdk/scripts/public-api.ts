import { readFileSync } from 'node:fs'
import ts from 'typescript'

const sources = new URL('../src/', import.meta.url)
const printer = ts.createPrinter({ removeComments: true })

/** The declarations of everything that the package exports, by their names, without comments: what programs may rely on. */
export function publicApi(): string {
  const declarations: string[] = []
  for (const statement of parsed(new URL('index.ts', sources)).statements) {
    if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined) continue
    if (statement.moduleSpecifier === undefined || !ts.isStringLiteral(statement.moduleSpecifier)) continue
    const file = declared(new URL(statement.moduleSpecifier.text, sources))
    if (ts.isNamedExports(statement.exportClause))
      for (const { name } of statement.exportClause.elements) declarations.push(...declarationsOf(file, name.text))
  }
  return `${declarations.sort().join('\n\n')}\n`
}

function parsed(file: URL): ts.SourceFile {
  return ts.createSourceFile(file.pathname, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
}

/** What `tsc` writes as declarations of a file. */
function declared(file: URL): ts.SourceFile {
  const { outputText } = ts.transpileDeclaration(readFileSync(file, 'utf8'), { fileName: file.pathname })
  return ts.createSourceFile('declarations.d.ts', outputText, ts.ScriptTarget.Latest)
}

function declarationsOf(file: ts.SourceFile, name: string): string[] {
  const found = file.statements.filter(statement => namesOf(statement).includes(name))
  if (found.length === 0) throw new Error(`nothing declares ${name}`)
  return found.map(statement => printer.printNode(ts.EmitHint.Unspecified, statement, file))
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []))
  const isNamed =
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isFunctionDeclaration(statement)
  return isNamed && statement.name !== undefined ? [statement.name.text] : []
}
