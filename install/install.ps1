# Installs leaseguard for one user on Windows: takes the archive of a release, checks it, puts the
# binary in place. Works in Windows PowerShell 5.1 and PowerShell 7; never needs an administrator.
[CmdletBinding()]
param(
    # This version instead of the one that belongs to this script.
    [string] $Version = '0.1.0',
    # Into this directory's `bin` instead of the one in the user's local application data.
    [string] $Prefix = '',
    # Take the archive and SHA256SUMS from this directory or https address.
    [string] $From = '',
    # Build it with cargo: from the checkout that holds this script, else from crates.io.
    [switch] $Build,
    # Tell what would be done, and do nothing.
    [switch] $DryRun,
    # Show how this is used.
    [switch] $Help
)

Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
# The progress bar makes Windows PowerShell download many times slower.
$ProgressPreference = 'SilentlyContinue'

$Repository = 'https://github.com/leaseguard/leaseguard'

function Show-Usage {
    Write-Output 'installs leaseguard'
    Write-Output ''
    Write-Output 'usage: install.ps1 [-Version V] [-Prefix DIR] [-From WHERE] [-Build] [-DryRun] [-Help]'
    Write-Output '  -Version V    this version instead of the one that belongs to this script'
    Write-Output '  -Prefix DIR   into DIR\bin instead of %LOCALAPPDATA%\leaseguard\bin'
    Write-Output '  -From WHERE   take the archive and SHA256SUMS from this directory or https address'
    Write-Output '  -Build        build it with cargo: from the checkout that holds this script, else from crates.io'
    Write-Output '  -DryRun       tell what would be done, and do nothing'
}

# The target of this machine, or an empty text when no archive is made for it.
function Get-Target {
    # A 32-bit PowerShell sees the real machine in the second variable only.
    $machine = $env:PROCESSOR_ARCHITEW6432
    if (-not $machine) { $machine = $env:PROCESSOR_ARCHITECTURE }
    switch ($machine) {
        'AMD64' { return 'x86_64-pc-windows-msvc' }
        'ARM64' { return 'aarch64-pc-windows-msvc' }
        default { return '' }
    }
}

# Puts a file of the release into a directory.
function Copy-Asset([string] $Where, [string] $Name, [string] $Into) {
    $place = Join-Path $Into $Name
    if ($Where -like 'https://*') {
        Invoke-WebRequest -Uri "$Where/$Name" -OutFile $place -UseBasicParsing
    } else {
        Copy-Item -LiteralPath (Join-Path $Where $Name) -Destination $place
    }
}

# The sum that SHA256SUMS names for the archive; fails unless there is exactly one.
function Get-NamedSum([string] $Sums, [string] $Archive) {
    $named = @()
    foreach ($line in (Get-Content -LiteralPath $Sums)) {
        if ($line -cmatch '^([0-9a-f]{64}) [ *](.+)$' -and $Matches[2] -ceq $Archive) {
            $named += $Matches[1]
        }
    }
    if ($named.Count -ne 1) {
        throw "SHA256SUMS does not name one sum for ``$Archive``; nothing was installed"
    }
    return $named[0]
}

# Checks the archive of a release and gives the path of the binary in it.
function Get-FromRelease([string] $Where, [string] $Archive, [string] $Folder, [string] $Temporary) {
    Copy-Asset $Where 'SHA256SUMS' $Temporary
    Copy-Asset $Where $Archive $Temporary
    $file = Join-Path $Temporary $Archive
    $want = Get-NamedSum (Join-Path $Temporary 'SHA256SUMS') $Archive
    $got = (Get-FileHash -LiteralPath $file -Algorithm SHA256).Hash.ToLowerInvariant()
    if ($got -cne $want) {
        throw "the sum of ``$Archive`` is ``$got``, SHA256SUMS says ``$want``: the archive is damaged or not the released one; nothing was installed"
    }
    Write-Host "checked: sha256 $got"
    $unpacked = Join-Path $Temporary 'unpacked'
    Expand-Archive -LiteralPath $file -DestinationPath $unpacked
    return (Join-Path (Join-Path $unpacked $Folder) 'leaseguard.exe')
}

# Builds with cargo and gives the path of the binary.
function Get-FromCargo([string] $Checkout, [string] $Temporary) {
    if (-not (Get-Command cargo -ErrorAction SilentlyContinue)) {
        throw 'cargo is not here to build leaseguard with: see https://rustup.rs'
    }
    $root = Join-Path $Temporary 'root'
    $what = @('leaseguard', '--version', $Version)
    if ($Checkout) { $what = @('--path', $Checkout) }
    $before = $env:CARGO_TARGET_DIR
    $env:CARGO_TARGET_DIR = Join-Path $Temporary 'target'
    try {
        # What cargo prints is no part of what this function gives back.
        & cargo install --locked --root $root @what | Out-Host
        if ($LASTEXITCODE -ne 0) { throw 'cargo could not build it' }
    } finally {
        $env:CARGO_TARGET_DIR = $before
    }
    return (Join-Path (Join-Path $root 'bin') 'leaseguard.exe')
}

# A running binary cannot be overwritten on Windows, but it can be renamed.
function Move-IntoPlace([string] $Binary, [string] $Bin, [string] $Says) {
    if (-not (Test-Path -LiteralPath $Binary -PathType Leaf)) { throw 'there is no leaseguard.exe in the archive' }
    $null = New-Item -ItemType Directory -Force -Path $Bin
    $place = Join-Path $Bin 'leaseguard.exe'
    $new = Join-Path $Bin "leaseguard.$PID.new.exe"
    $old = Join-Path $Bin "leaseguard.$PID.old.exe"
    try {
        Copy-Item -LiteralPath $Binary -Destination $new
        $told = & $new --version
        if ($LASTEXITCODE -ne 0) { throw 'the binary does not run on this system; try -Build' }
        if ("$told" -notlike "$Says*") { throw "the binary says ``$told``, not ``$Says``" }
        if (Test-Path -LiteralPath $place) { Move-Item -LiteralPath $place -Destination $old }
        try {
            Move-Item -LiteralPath $new -Destination $place
        } catch {
            if (Test-Path -LiteralPath $old) { Move-Item -LiteralPath $old -Destination $place }
            throw
        }
    } finally {
        if (Test-Path -LiteralPath $new) { Remove-Item -LiteralPath $new -Force }
    }
    # Old ones that still run stay until the next installation.
    Get-ChildItem -LiteralPath $Bin -Filter 'leaseguard.*.old.exe' |
        Remove-Item -Force -ErrorAction SilentlyContinue
    Write-Host "installed ${told}: $place"
}

function Show-Next([string] $Bin) {
    $command = 'leaseguard'
    $listed = @($env:PATH -split ';' | ForEach-Object { $_.TrimEnd('\') })
    if ($listed -notcontains $Bin.TrimEnd('\')) {
        Write-Host "note: $Bin is not on your PATH; this adds it for you, for new windows:"
        Write-Host "  [Environment]::SetEnvironmentVariable('Path', [Environment]::GetEnvironmentVariable('Path', 'User') + ';$Bin', 'User')"
        $command = "& '$Bin\leaseguard.exe'"
    }
    Write-Host 'next, connect your agents:'
    Write-Host "  $command install"
}

function Install-Leaseguard {
    if ($Version -notmatch '^[0-9A-Za-z.+-]+$') { throw "``$Version`` is no version" }
    $top = $Prefix
    if (-not $top) {
        if (-not $env:LOCALAPPDATA) { throw 'LOCALAPPDATA is not set: name a place with -Prefix' }
        $top = Join-Path $env:LOCALAPPDATA 'leaseguard'
    }
    $top = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($top)
    $bin = Join-Path $top 'bin'
    $target = Get-Target
    $folder = "leaseguard-$Version-$target"
    $archive = "$folder.zip"
    $where = "$Repository/releases/download/v$Version"
    if ($From) { $where = $From.TrimEnd('/', '\') }
    if ($where -notlike 'https://*') {
        if ($where -like '*://*') { throw "``$where`` is not https" }
        if (-not (Test-Path -LiteralPath $where -PathType Container)) { throw "there is no directory ``$where``" }
    }
    $checkout = ''
    if ($PSScriptRoot) {
        $above = Split-Path -Parent $PSScriptRoot
        $manifest = Join-Path $above 'Cargo.toml'
        if ((Test-Path -LiteralPath $manifest) -and
            (Select-String -LiteralPath $manifest -Pattern '^name = "leaseguard"$' -Quiet)) { $checkout = $above }
    }
    $building = [bool] $Build
    if (-not $target -and -not $building) {
        if ($From) { throw 'no archive is made for this machine: -Build builds it with cargo' }
        Write-Host 'no archive is made for this machine: building with cargo'
        $building = $true
    }
    if ($DryRun) {
        if ($building) { Write-Host 'would build with cargo' }
        else { Write-Host "would take $where/$archive and check it against SHA256SUMS" }
        Write-Host "would put the binary at $bin\leaseguard.exe"
        return
    }
    $temporary = Join-Path ([IO.Path]::GetTempPath()) ('leaseguard.' + [Guid]::NewGuid().ToString('N'))
    $null = New-Item -ItemType Directory -Path $temporary
    try {
        if ($building) {
            $binary = Get-FromCargo $checkout $temporary
            $says = 'leaseguard '
        } else {
            Write-Host "taking $archive from $where"
            $binary = Get-FromRelease $where $archive $folder $temporary
            $says = "leaseguard $Version"
        }
        Move-IntoPlace $binary $bin $says
    } finally {
        Remove-Item -LiteralPath $temporary -Recurse -Force -ErrorAction SilentlyContinue
    }
    Show-Next $bin
}

# Older systems offer only older protocols by themselves.
[Net.ServicePointManager]::SecurityProtocol =
    [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

if ($Help) {
    Show-Usage
} else {
    try {
        Install-Leaseguard
    } catch {
        [Console]::Error.WriteLine("install.ps1: $($_.Exception.Message)")
        exit 1
    }
}
