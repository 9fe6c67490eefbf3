//! Words that stand in headings of tables of ports and nowhere else together.

/// Words of headings, sorted.
#[rustfmt::skip]
pub(super) const VOCABULARY: &[&str] = &[
    "#", "##", "&", "(Mb/s)", "(Mbps)", "(VLAN)", "(d,h:m:s)", "(msec)", "(sec)", "Accpt", "Address", "Admin", "Adv", "Alert", "Alias",
    "Asym", "Attribute", "Auto", "Auto-Neg", "AutoNego", "BW", "Back", "Bcast", "Bndl", "Bytes", "C/QS/S/XFP/", "CONFIGURED",
    "CONFIGURED-VALUES", "Cfg", "Ch", "Ch#", "Channel", "Chas/", "Config-mode", "Connector", "Control", "Counters", "Ctrl", "DETECTED",
    "DETECTED-VALUES", "Description", "Det", "Diag", "Dplx", "Drops", "Dupl", "Duplex", "Duration", "EEE", "Eg", "Enabled", "Encap", "Encp",
    "Errors", "Ethernet", "FC", "FEC", "Flow", "Frames", "Group", "Host", "Hybrid", "IP", "Id", "Ig", "Info", "Interface", "Intrusion",
    "LAG/", "LT", "Lanes", "Limit", "Link", "LinkUpDown", "Local", "Loopback", "M", "MAC", "MDI", "MDIMDX", "MTU", "Main", "Max", "Mdix",
    "Media", "Mirror", "Mode", "NVLAN", "Name", "Native", "Neg", "Nego", "Oob", "Oper", "PFC", "PHY", "PVID", "Pause", "Phy", "Physical",
    "Port", "Port-State", "Port-channel", "Pressure", "Pri", "Primary", "Priori", "Prot", "Proto", "Protocol", "Pvid", "Reason", "Recovery",
    "Remote", "Rmt", "Rx", "S/L", "STP", "Secondary", "Size", "Slot/", "Speed", "Speed/", "Speed/Duplex", "Speeds", "State", "Status",
    "Status:", "Summary", "Tag", "Tagged", "Tagged-Vlans", "Time", "Total", "Trap", "Trunk", "Tx", "Type", "Types", "Untagged", "Up",
    "Uptime", "Utilization", "VLAN", "VLAN(Type)", "VRF", "Violations", "Vlan", "WTR", "WTS", "XCVR", "address", "control", "ctrl", "id",
    "mac", "name", "speed/duplex/state", "speed/duplex/state/fec", "state", "tag", "type", "vsys", "zone",
];
