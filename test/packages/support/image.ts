import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { repository, run } from '../../../scripts/release/run.ts'

/** What a shell, the core utilities and Node.js need of Debian. */
const packages =
  'base-files coreutils dash libacl1 libattr1 libc6 libgcc-s1 libgmp10 libpcre2-8-0 libselinux1 libssl3 libstdc++6'.split(
    ' ',
  )

/**
 * Builds images without an engine and without a registry of images: as root, with buildah, on a base of the same name as the one
 * that the Dockerfile asks for, made of Debian's packages and the Node.js of the release.
 */
export class ImageBuilder {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async make(): Promise<ImageBuilder> {
    return new ImageBuilder(await mkdtemp(join(tmpdir(), 'crm-image-')))
  }

  /** `node` is the folder of Node.js in the archive; npm is that of this machine, with its registry. */
  async makeBase(name: string, node: string): Promise<void> {
    const root = join(this.#folder, 'base')
    const debian = join(this.#folder, 'debian')
    await mkdir(debian)
    await run('apt-get', ['download', '-qq', ...packages], debian)
    await mkdir(join(root, 'tmp'), { recursive: true })
    await run('sh', ['-c', `for each in *.deb; do dpkg-deb --extract "$each" ${root}; done`], debian)
    await writeFile(join(root, 'etc', 'passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n')
    await writeFile(join(root, 'etc', 'group'), 'root:x:0:\nnode:x:1000:\n')
    const local = join(root, 'usr', 'local')
    await cp(join(node, 'bin', 'node'), join(local, 'bin', 'node'))
    const npm = dirname(dirname(await run('sh', ['-c', 'readlink -f "$(command -v npm)" | tr -d "\\n"'])))
    await cp(npm, join(local, 'lib', 'node_modules', 'npm'), { recursive: true })
    await run('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin', 'npm')])
    await mkdir(join(local, 'etc'), { recursive: true })
    const registry = await run('npm', ['config', 'get', 'registry'])
    await writeFile(join(local, 'etc', 'npmrc'), `registry=${registry}`)
    await cp('/etc/ssl/certs/ca-certificates.crt', join(root, 'etc', 'ssl', 'certs', 'ca-certificates.crt'))
    const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    const trusted = 'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt'
    await writeFile(join(this.#folder, 'Dockerfile'), `FROM scratch\nCOPY base /\nENV ${path} ${trusted}\n`)
    await this.buildah('build', '--tag', name, this.#folder)
    await Promise.all([root, debian].map(made => rm(made, { recursive: true })))
  }

  /** Builds what a Dockerfile of the repository says. */
  async build(dockerfile: string, name: string): Promise<void> {
    // The form of Docker: in that of OCI an image has no health check.
    const isolated = ['--isolation', 'chroot', '--network', 'host', '--pull=never', '--format', 'docker']
    const cache = (await run('npm', ['config', 'get', 'cache'])).trim()
    await this.buildah(
      'build',
      ...isolated,
      '--volume',
      `${cache}:/root/.npm:rw`,
      '--file',
      join(repository, dockerfile),
      '--tag',
      name,
      repository,
    )
  }

  buildah(command: string, ...words: readonly string[]): Promise<string> {
    return run('buildah', this.command(command, ...words).slice(1))
  }

  /** The command line, for what goes on while something else is done. */
  command(command: string, ...words: readonly string[]): readonly [string, ...string[]] {
    const storage = ['--root', join(this.#folder, 'storage'), '--runroot', join(this.#folder, 'run')]
    return ['buildah', ...storage, '--storage-driver', 'overlay', command, ...words]
  }

  async remove(): Promise<void> {
    await this.buildah('rm', '--all')
    await rm(this.#folder, { recursive: true, force: true })
  }
}
