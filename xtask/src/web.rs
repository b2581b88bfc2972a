//! `cargo xtask web`: builds the page and the npm package of `facade/web`, and serves them.
//!
//! 1. Compile the module with and without SIMD, by the toolchain that runs this program if it has
//!    the target, otherwise by Debian's, which compiles the standard library.
//! 2. Let wasm-bindgen write the code between JavaScript and the module. It is equal for both.
//! 3. Copy the files of the page and of the package into `facade/web/dist`.
//!
//! `cargo xtask verify --web` also tests the Rust code, the package in Node, and the page in
//! Chromium. Steps whose tools are missing are skipped.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread;

use tiny_http::{Header, Response, Server};

use crate::cargo::Cargo;
use crate::cross::{COMPILER, has_node};
use crate::step::{Step, Verdict};
use crate::workspace::Workspace;

/// The folder of the package.
pub(crate) const FOLDER: &str = "facade/web";

/// The target of the module.
const TRIPLE: &str = "wasm32-unknown-unknown";

/// The linker of the toolchain of Debian, and its package.
const LINKER: (&str, &str) = ("/usr/bin/wasm-ld-22", "lld-22");

/// The modules: whether they have SIMD, and their names in the package.
const MODULES: [(&str, &str); 2] = [("+simd128", "simd.wasm"), ("-simd128", "plain.wasm")];

/// Files of npm packages that the page uses if they are installed, and their names there.
const PEERS: [(&str, &str); 1] = [("flatbush/flatbush.js", "flatbush.js")];

/// Builds the page. Serves it until the program is stopped, if `serve` is set.
pub(crate) fn web(workspace: &Workspace, serve: bool) -> Result<bool, String> {
    if let Some(tool) = missing(&workspace.root) {
        return Err(tool);
    }
    println!("{}", build(workspace)?);
    if serve {
        let server = server("127.0.0.1:8000")?;
        println!("http://{}", server.server_addr());
        answer(&server, &dist(workspace));
    }
    Ok(true)
}

/// Returns the steps of `verify --web`.
pub(crate) fn steps(workspace: &Workspace) -> Vec<Step> {
    let names = ["npm package and page: build", "npm package: tests", "page in Chromium"];
    let checks: [fn(&Workspace) -> Verdict; 3] = [
        |workspace| built(workspace).map_err(|why| vec![why]),
        |workspace| {
            built(workspace).map_err(|why| vec![why])?;
            node(&["--test"], &dist(workspace).join("hexphase"))
        },
        test_page,
    ];
    let node = (!has_node()).then(|| "npm install --global node@24".to_owned());
    let driver = workspace.root.join(FOLDER).join("node_modules/puppeteer-core");
    let driver = (!driver.exists()).then(|| format!("npm install --prefix {FOLDER}"));
    let browser = driver.or_else(|| find_chromium().err());
    let tools = missing(&workspace.root);
    let with_node = tools.clone().or(node);
    let missing = [tools, with_node.clone(), with_node.or(browser)];
    let steps = names.into_iter().zip(checks).zip(missing);
    steps
        .map(|((name, check), missing)| match missing {
            Some(tool) => Step::skip(name, tool),
            None => Step::check(name, check),
        })
        .collect()
}

/// Returns whether the toolchain that runs this program has the target.
fn has_target() -> bool {
    let arguments = ["--print", "target-libdir", "--target", TRIPLE];
    let output = Command::new("rustc").args(arguments).output().ok();
    let folder = output.and_then(|output| String::from_utf8(output.stdout).ok());
    folder.is_some_and(|folder| Path::new(folder.trim()).exists())
}

/// Returns how to install the first tool that is missing.
fn missing(root: &Path) -> Option<String> {
    if Command::new("wasm-bindgen").arg("--version").output().is_err() {
        return Some(format!("cargo install wasm-bindgen-cli --version {}", bindgen_version(root)));
    }
    let is_missing = |(file, _): &&(&str, &str)| !Path::new(file).exists();
    let files = COMPILER.iter().chain([&LINKER]);
    let packages: Vec<&str> = files.filter(is_missing).map(|(_, package)| *package).collect();
    let is_complete = packages.is_empty() || has_target();
    (!is_complete).then(|| {
        format!(
            "rustup target add {TRIPLE}, or apt-get install -y --no-install-recommends {}",
            packages.join(" ")
        )
    })
}

/// Returns the version of wasm-bindgen in the lock file: that of the program must be equal.
fn bindgen_version(root: &Path) -> String {
    let lock = fs::read_to_string(root.join(FOLDER).join("Cargo.lock")).unwrap_or_default();
    let after = lock.split_once("name = \"wasm-bindgen\"\nversion = \"").map(|(_, rest)| rest);
    after.and_then(|rest| rest.split('"').next()).unwrap_or_default().to_owned()
}

/// The folder with the page and, in `hexphase`, the package.
fn dist(workspace: &Workspace) -> PathBuf {
    workspace.root.join(FOLDER).join("dist")
}

/// Builds the page and the package, once: steps run side by side. Returns the sizes of the modules.
fn built(workspace: &Workspace) -> Result<String, String> {
    static RESULT: OnceLock<Result<String, String>> = OnceLock::new();
    RESULT.get_or_init(|| build(workspace)).clone()
}

/// Builds the page and the package. Returns the sizes of the modules.
fn build(workspace: &Workspace) -> Result<String, String> {
    let (dist, source) = (dist(workspace), workspace.root.join(FOLDER));
    let package = dist.join("hexphase");
    let (mut sizes, mut glues) = (Vec::new(), Vec::new());
    let _ = fs::remove_dir_all(&dist);
    fs::create_dir_all(&package).map_err(|why| format!("{}: {why}", package.display()))?;
    for (simd, name) in MODULES {
        let target = format!("target/web/{simd}");
        let call = compile(simd, &target);
        let status = call.show(&workspace.root).map_err(|why| format!("{call}: {why}"))?;
        if !status.success() {
            return Err(format!("{call}: {status}"));
        }
        let module = format!("{target}/{TRIPLE}/release/hexphase_web.wasm");
        let bindgen = Command::new("wasm-bindgen")
            .args(["--target", "web", "--out-name", "glue", "--out-dir"])
            .args([&package, &workspace.root.join(module)])
            .output();
        let output = bindgen.map_err(|why| format!("wasm-bindgen: {why}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let (made, file) = (package.join("glue_bg.wasm"), package.join(name));
        fs::rename(&made, &file).map_err(|why| format!("{}: {why}", made.display()))?;
        glues.push(fs::read_to_string(package.join("glue.js")).unwrap_or_default());
        let size = fs::metadata(&file).map_or(0, |found| found.len());
        sizes.push(format!("{name}: {} kB", size.div_ceil(1000)));
    }
    if glues[0] != glues[1] {
        return Err("wasm-bindgen writes other code for the module without SIMD".to_owned());
    }
    let _ = fs::remove_file(package.join("glue_bg.wasm.d.ts"));
    copy(&source.join("npm"), &package)?;
    copy(&source.join("page"), &dist)?;
    for (file, name) in PEERS {
        // An empty file if it is not installed: the page loads it.
        let text = fs::read(source.join("node_modules").join(file)).unwrap_or_default();
        fs::write(dist.join(name), text).map_err(|why| format!("{name}: {why}"))?;
    }
    Ok(sizes.join(", "))
}

/// Returns the call that compiles a module.
fn compile(simd: &str, target: &str) -> Cargo {
    let feature = format!("-Ctarget-feature={simd}");
    let call = Cargo::new("build --release --locked --lib --manifest-path")
        .with(&crate::verify::manifest(FOLDER))
        .with("--target-dir")
        .with(target)
        .with("--target")
        .with(TRIPLE);
    if has_target() {
        return call.variable("CARGO_ENCODED_RUSTFLAGS", feature);
    }
    call.debian()
        .with("-Zbuild-std=std,panic_abort")
        .variable("CARGO_ENCODED_RUSTFLAGS", format!("{feature}\x1f-Clinker={}", LINKER.0))
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let files = fs::read_dir(from).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    for file in files.map_err(|why| format!("{}: {why}", from.display()))? {
        let copied = fs::copy(file.path(), to.join(file.file_name()));
        copied.map_err(|why| format!("{}: {why}", file.path().display()))?;
    }
    Ok(())
}

/// Runs tests in Node in a folder. Returns the line with their number.
fn node(arguments: &[&str], folder: &Path) -> Verdict {
    let output = Command::new("node").args(arguments).current_dir(folder).output();
    let output = output.map_err(|why| vec![format!("node: {why}")])?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        return Err(vec![format!("{text}{}", String::from_utf8_lossy(&output.stderr))]);
    }
    let passed = text.lines().rfind(|line| line.contains("pass"));
    match passed.map(|line| line.trim_start_matches("ℹ ")) {
        Some("pass 0") | None => Err(vec![format!("no tests were run\n{text}")]),
        Some(line) => Ok(line.to_owned()),
    }
}

/// Returns the path of Chromium, or how to install it.
fn find_chromium() -> Result<&'static str, String> {
    let paths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    let found = paths.into_iter().find(|path| Path::new(path).exists());
    found.ok_or("apt-get install -y --no-install-recommends chromium".to_owned())
}

/// Tests the page in Chromium, driven by puppeteer.
fn test_page(workspace: &Workspace) -> Verdict {
    built(workspace).map_err(|why| vec![why])?;
    let server = server("127.0.0.1:0").map_err(|why| vec![why])?;
    let (folder, address) = (dist(workspace), format!("http://{}", server.server_addr()));
    let chromium = find_chromium().map_err(|why| vec![why])?;
    let source = workspace.root.join(FOLDER);
    thread::scope(|scope| {
        scope.spawn(|| answer(&server, &folder));
        let verdict = node(&["tests/page.mjs", &address, chromium], &source);
        server.unblock();
        verdict
    })
}

fn server(address: &str) -> Result<Server, String> {
    Server::http(address).map_err(|why| format!("{address}: {why}"))
}

/// Answers requests with the files of a folder, until the server is unblocked.
fn answer(server: &Server, folder: &Path) {
    for request in server.incoming_requests() {
        let path = request.url().split(['?', '#']).next().unwrap_or_default();
        let path = path.trim_start_matches('/');
        let path = if path.is_empty() { "index.html" } else { path };
        // Only names of files below the folder.
        let is_plain = Path::new(path).components().all(|part| part.as_os_str() != "..");
        let file = is_plain.then(|| File::open(folder.join(path)).ok()).flatten();
        let kind = match Path::new(path).extension().and_then(|end| end.to_str()) {
            Some("html") => "text/html; charset=utf-8",
            Some("js" | "mjs") => "text/javascript",
            Some("css") => "text/css",
            Some("wasm") => "application/wasm",
            _ => "application/octet-stream",
        };
        // A failure to answer means that the browser has closed the connection.
        let _ = match file {
            Some(file) => {
                let header = Header::from_bytes("Content-Type", kind).expect("an ASCII header");
                request.respond(Response::from_file(file).with_header(header))
            }
            None => request.respond(Response::from_string("not found").with_status_code(404)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::{FOLDER, Workspace, bindgen_version, compile};

    #[test]
    fn the_version_of_the_tool_is_that_of_the_lock_file() {
        let version = bindgen_version(&Workspace::here().unwrap().root);
        assert!(version.starts_with("0.2."), "{version}");
        let call = compile("+simd128", "target/web").to_string();
        assert!(call.contains(FOLDER) && call.contains("+simd128"), "{call}");
    }
}
