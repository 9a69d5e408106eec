// GET after GET with hyper on one thread, over as many connections as there are requests at a time.
//
//     hyper-client URL LEVEL SECONDS BODY-BYTES
//
// Prints requests per second, and microseconds of this process's user and system time per request, as `bench load` does. A fifth
// of the time goes ahead unmeasured.
use hyper::{client::HttpConnector, Client, Uri};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

static COMPLETED: AtomicU64 = AtomicU64::new(0);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() != 5 {
        fail("URL LEVEL SECONDS BODY-BYTES");
    }
    let uri: Uri = arguments[1].parse().unwrap_or_else(|error| fail(&format!("{error}")));
    let level: usize = arguments[2].parse().unwrap_or_else(|error| fail(&format!("{error}")));
    let seconds: f64 = arguments[3].parse().unwrap_or_else(|error| fail(&format!("{error}")));
    let bytes: usize = arguments[4].parse().unwrap_or_else(|error| fail(&format!("{error}")));

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap_or_else(|error| fail(&format!("{error}"))).block_on(async {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder().pool_max_idle_per_host(level).build(connector);
        for _ in 0..level {
            tokio::spawn(send(client.clone(), uri.clone(), bytes));
        }
        wait(Duration::from_secs_f64(seconds / 5.0), 0).await;
        let (start, before, count) = (Instant::now(), processor(), COMPLETED.load(Ordering::Relaxed));
        wait(Duration::from_secs_f64(seconds), count).await;
        let (elapsed, used) = (start.elapsed().as_secs_f64(), processor() - before);
        let requests = (COMPLETED.load(Ordering::Relaxed) - count) as f64;
        if requests == 0.0 {
            fail("no request has ended");
        }
        println!("{} {}", requests / elapsed, used / requests * 1e6);
        std::process::exit(0);
    });
}

// Sends one request after the other, indefinitely.
async fn send(client: Client<HttpConnector>, uri: Uri, bytes: usize) {
    loop {
        let response = client.get(uri.clone()).await.unwrap_or_else(|error| fail(&format!("{error}")));
        let status = response.status();
        let body = hyper::body::to_bytes(response.into_body()).await.unwrap_or_else(|error| fail(&format!("{error}")));
        if status != 200 || body.len() != bytes {
            fail(&format!("status {} with {} bytes", status, body.len()));
        }
        COMPLETED.fetch_add(1, Ordering::Relaxed);
    }
}

// Waits so long, and on a busy machine up to 20 seconds longer until more than so many requests have ended.
async fn wait(span: Duration, count: u64) {
    tokio::time::sleep(span).await;
    for _ in 0..400 {
        if COMPLETED.load(Ordering::Relaxed) > count {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

// The user and system time of this process so far, in seconds.
fn processor() -> f64 {
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    if unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) } != 0 {
        fail("getrusage fails");
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

fn fail(message: &str) -> ! {
    eprintln!("bench: {message}");
    std::process::exit(1)
}
