//! OraPub's response-time formulas (Craig Shallahamer, *Forecasting Oracle Performance*, 2007).

/// Response time by OraPub's CPU form, R = S / (1 - (SL/M)^M): `service` and the result in the same
/// unit of time, `arrival` per that unit. `None` where there is more work than servers can do.
///
/// It is exact for one and two servers with random arrivals and exponential service; with more it
/// tells too little, by up to a sixth at 64 servers.
pub fn orapub_cpu(service: f64, arrival: f64, servers: f64) -> Option<f64> {
    let utilisation = service * arrival / servers;
    (utilisation < 1.0).then(|| service / (1.0 - utilisation.powf(servers)))
}

/// Response time by OraPub's I/O form, R = S / (1 - SL/M): as many queues as servers, one each.
/// `None` where there is more work than servers can do.
pub fn orapub_io(service: f64, arrival: f64, servers: f64) -> Option<f64> {
    let utilisation = service * arrival / servers;
    (utilisation < 1.0).then(|| service / (1.0 - utilisation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_work_than_servers_can_do_has_no_response_time() {
        assert_eq!(orapub_cpu(1.0, 2.0, 2.0), None);
        assert_eq!(orapub_io(1.0, 2.0, 1.9), None);
    }
}
